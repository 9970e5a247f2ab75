// Any text as a document for gpx import: an error, or a run that the store hands out as it took
// it.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "runtime/store/store.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

constexpr int kRuns = 500;  ///< After so many the store is made anew.

/// A folder of this process alone, gone with it.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("gpx-fuzz-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

/// A store that holds no run called like the next one.
store::Store& fresh_store() {
  static const Folder folder;
  static std::optional<store::Store> store;
  static int runs = 0, stores = 0;
  if (!store || ++runs > kRuns) {
    auto opened =
        store::Store::open((folder.path / (std::to_string(++stores) + ".gpx.db")).string(), true);
    if (!opened) throw std::runtime_error(render(opened.error()));
    store.emplace(std::move(*opened));
    runs = 0;
  }
  return *store;
}

/// Where two texts begin to differ.
std::string difference(const std::string& a, const std::string& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at - a.begin() - 80, 0));
  return ":\n" + a.substr(begin, 200) + "\n----\n" + b.substr(begin, 200);
}

/// What the store makes of a run: what it hands out, read again. `wrong` says what failed.
std::optional<report::ReadRun> through(store::Store& store, report::ReadRun run,
                                       std::string& wrong) {
  static std::uint64_t number = 0;
  if (run.origin) run.origin->id = std::to_string(++number);
  const auto taken = store.import_run(run);
  if (!taken) {
    if (taken.error().diagnostics.empty()) wrong = "an error without a diagnostic";
    return std::nullopt;
  }
  const auto out = store.export_document(*taken);
  if (!out) {
    wrong = "a run that was taken cannot be exported: " + render(out.error());
    return std::nullopt;
  }
  auto again = report::from_json(*out, "exported");
  if (!again) {
    wrong = "an exported run cannot be read: " + render(again.error());
    return std::nullopt;
  }
  return std::move(*again);
}

/// What follows from a run's source (curves, the paper's values) the store makes anew, so a
/// document (`text`) may change once; the one that comes out does not change any more.
std::string check_stored(store::Store& store, const report::ReadRun& run, const std::string& text) {
  std::string wrong;
  const auto once = through(store, run, wrong);
  if (!once) return wrong;
  const std::string first = report::to_json(once->result);
  if (first == text) return "";
  const auto twice = through(store, *once, wrong);
  if (!twice) return wrong.empty() ? "an exported run cannot be imported" : wrong;
  const std::string second = report::to_json(twice->result);
  return second == first ? "" : "the store changes what it gave" + difference(first, second);
}

}  // namespace

std::string store(const std::string& input) {
  const auto run = report::from_json(input, "input");
  if (!run) return run.error().diagnostics.empty() ? "an error without a diagnostic" : "";
  taken = true;
  const std::string text = report::to_json(run->result);
  const auto again = report::from_json(text, "again");
  if (!again) return "a document that was read cannot be written: " + render(again.error());
  if (const std::string second = report::to_json(again->result); second != text)
    return "reading a document twice changes it" + difference(text, second);
  return check_stored(fresh_store(), *run, text);
}

}  // namespace gpx::fuzz
