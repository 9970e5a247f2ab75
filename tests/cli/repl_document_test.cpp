// docs/repl.md: what it shows is what the program prints. GPX_REBASE=1 types it again.
#include <doctest/doctest.h>

#include <sstream>

#include "captured.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/repl/repl.h"
#include "tests/golden.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

const std::string kDocument = GPX_SOURCE_DIR "/docs/repl.md";

struct NoReader : LineReader {
  std::optional<Line> read(const std::string&) override { return std::nullopt; }
  void remember(const std::string&) override {}
};

/// A REPL in an empty folder, and what each line prints.
class DocumentTypist {
 public:
  DocumentTypist() { std::filesystem::current_path(folder_.path("")); }
  ~DocumentTypist() { std::filesystem::current_path(here_); }

  std::string type(const std::string& line) {
    repl_.take(line, reader_);
    const std::string out = captured_.out(), err = captured_.err();
    const std::string printed = out.substr(out_size_) + err.substr(err_size_);
    out_size_ = out.size();
    err_size_ = err.size();
    return printed;
  }
  std::string saved() const { return folder_.read("session.gpx"); }

 private:
  static StoreOptions nowhere() {
    StoreOptions options;
    options.no_store = true;
    return options;
  }
  static RunOptions on_k20() {
    RunOptions options;
    options.device = "k20";
    return options;
  }
  std::filesystem::path here_ = std::filesystem::current_path();
  TemporaryFolder folder_;
  Captured captured_;
  Repl repl_{captured_.console, find_paths(), on_k20(), nowhere()};
  NoReader reader_;
  std::size_t out_size_ = 0, err_size_ = 0;
};

/// The document with what each of its lines prints now, and the file that they save.
std::string typed_again(const std::string& document) {
  DocumentTypist typist;
  std::string text;
  std::istringstream lines(document);
  bool printed = false;  // What stands there is to be replaced.
  for (std::string line; std::getline(lines, line);) {
    const bool typed = line.starts_with("gpx> ") || line.starts_with("...> ");
    if (line.starts_with("```")) printed = false;
    if (!printed || typed) text += line + '\n';
    if (typed) text += typist.type(line.substr(5));
    if (line == "```gpx") text += typist.saved();
    printed |= typed || line == "```gpx";
  }
  return text;
}

}  // namespace

TEST_CASE("docs/repl.md shows what the REPL prints") {
  const std::string again = typed_again(gpx::test::read_text(kDocument));
  CHECK(contains(again, "on k20 (virtual)"));
  gpx::test::check_golden(kDocument, again);
}
