// Characterizing a device: groups of a standard library of the test's own, and mutations of small
// devices that must change the findings that depend on them and no others.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <thread>

#include "runtime/characterize.h"
#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

/// A folder with files, gone after the test.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(fs::temp_directory_path() / fmt::format("gpx-{}-{}", name, getpid())) {}
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

Characterization characterized(const Paths& paths, const CharacterizeOptions& options) {
  auto result = characterize(paths, options);
  if (!result) FAIL(render(result.error()));
  return std::move(*result);
}

// ---- groups -------------------------------------------------------------------------------------

const char* kGroups = R"(# Lines before a group keep their numbers.
param full = 32

experiment good "Says how many threads it was given" {
  threads full
  < load unique(128B) >
  analyze one(threads = full)
}

experiment bad "Fails" {
  < load unique(128B) >
  analyze two()
}

experiment other "Comes after the one that fails" {
  < load unique(128B) >
  analyze one(threads = 7)
}
)";

struct Library {
  Folder folder{"characterize"};
  Paths paths{folder.path(), folder.path()};
  CharacterizeOptions options;

  Library() {
    folder.write("characterize/family.gpx", kGroups);
    folder.write("analysis/one.lua",
                 "return function(input)\n"
                 "  finding { name = 'given', value = input.args.threads, unit = 'threads' }\nend\n");
    folder.write("analysis/two.lua", "return function() error('no idea', 0) end\n");
    folder.write("papers/fig4.gpx",
                 "experiment fig4 \"Fig. 4\" {\n  cite x WO1\n  device fig4\n  < >\n"
                 "  paper given = 500 WO1\n}\n");
    fs::create_directories(folder.path() + "/devices");
    fs::copy_file(GPX_SOURCE_DIR "/stdlib/devices/fig4.lua", folder.path() + "/devices/fig4.lua");
    options.device = "fig4";
  }
};

TEST_CASE("a group that fails loses no other, and says where") {
  Library library;
  for (const unsigned jobs : {1u, 2u}) {
    library.options.jobs = jobs;
    std::set<std::string> ended;
    library.options.on_group = [&](const GroupResult& group, std::size_t, std::size_t all) {
      ended.insert(group.group.name);
      CHECK(all == 3);
    };
    const Characterization result = characterized(library.paths, library.options);
    REQUIRE(result.groups.size() == 3);
    CHECK(ended == std::set<std::string>{"bad", "good", "other"});
    CHECK(result.groups[0].state == GroupResult::State::done);
    CHECK(result.groups[1].state == GroupResult::State::failed);
    CHECK(result.groups[1].reason == "no idea");
    CHECK(result.groups[2].state == GroupResult::State::done);
  }
}

TEST_CASE("a family's parameter full is the device's largest block; papers are read at the end") {
  Library library;
  library.options.only = {"good", "other"};
  const Characterization result = characterized(library.paths, library.options);
  REQUIRE(result.groups.size() == 2);
  const Finding& given = get(result.groups[0].run.experiments.at(0), "given");
  CHECK(number(given) == 512);
  REQUIRE(given.paper.has_value());
  CHECK(given.paper->cite == "WO1");
  CHECK(number(get(result.groups[1].run.experiments.at(0), "given")) == 7);
}

TEST_CASE("papers about another device stay out") {
  Library library;
  library.options.only = {"good"};
  std::string text(read_source(library.folder.path() + "/devices/fig4.lua").text());
  text.replace(text.find("\"fig4\""), 6, "\"mine\"");
  library.options.device = library.folder.write("mine.lua", text);
  const Characterization result = characterized(library.paths, library.options);
  CHECK_FALSE(get(result.groups[0].run.experiments.at(0), "given").paper.has_value());
}

TEST_CASE("a stop keeps what was done and names the rest interrupted") {
  Library library;
  std::atomic<bool> stop = false;
  library.options.stop = &stop;
  library.options.jobs = 1;
  library.options.on_group = [&](const GroupResult&, std::size_t ended, std::size_t) {
    if (ended != 1) return;
    stop = true;
    // The flag is looked at every 20 ms.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  const Characterization result = characterized(library.paths, library.options);
  CHECK(result.interrupted);
  CHECK(result.groups[0].state == GroupResult::State::done);
  for (const std::size_t i : {1u, 2u}) {
    CHECK(result.groups[i].state == GroupResult::State::not_run);
    CHECK(result.groups[i].reason == "interrupted");
  }
}

TEST_CASE("every group of the standard library and every paper's file is in order") {
  const auto groups = characterize_groups(source_paths());
  if (!groups) FAIL(render(groups.error()));
  std::set<std::string> names;
  for (const CharacterizeGroup& group : *groups) {
    CHECK_MESSAGE(names.insert(group.name).second, group.name);
    CHECK(group.title != "");
    auto checked = parse(group.source).and_then(
        [&](const Ast& ast) { return check(ast, group.source); });
    if (!checked) FAIL(render(checked.error()));
    REQUIRE(checked->size() == 1);
    const Experiment& experiment = checked->front();
    CHECK(experiment.device.empty());
    CHECK(experiment.papers.empty());
    CHECK(experiment.expects.empty());
    CHECK_FALSE(experiment.analyses.empty());
  }
  for (const auto& entry : fs::directory_iterator(source_paths().stdlib + "/papers")) {
    const Source source = read_source(entry.path().string());
    auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
    if (!checked) FAIL(render(checked.error()));
    CHECK(checked->at(0).device == entry.path().stem().string());
    CHECK(checked->at(0).analyses.empty());
  }
}

}  // namespace
}  // namespace gpx::test
