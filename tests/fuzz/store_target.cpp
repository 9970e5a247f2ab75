// Any text as a document for gpx import: an error, or a run that the store hands out as it took
// it.
#include <optional>

#include "runtime/store/store.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

constexpr int kRuns = 500;  ///< After so many the store, which lies in memory, is made anew.

/// A store that holds no run called like the next one.
store::Store& fresh_store() {
  static std::optional<store::Store> store;
  static int runs = 0;
  if (!store || ++runs > kRuns) {
    auto opened = store::Store::open(":memory:", true);
    if (!opened) throw std::runtime_error(render(opened.error()));
    store.emplace(std::move(*opened));
    runs = 0;
  }
  return *store;
}

std::string check_stored(store::Store& store, report::ReadRun run) {
  static std::uint64_t number = 0;
  if (run.origin) run.origin->id += '-' + std::to_string(++number);
  const auto taken = store.import_run(run);
  if (!taken) return taken.error().diagnostics.empty() ? "an error without a diagnostic" : "";
  const auto out = store.export_document(*taken);
  if (!out) return "a run that was taken cannot be exported: " + render(out.error());
  const auto again = report::from_json(*out, "exported");
  if (!again) return "an exported run cannot be read: " + render(again.error());
  return report::to_json(again->result) == report::to_json(run.result)
             ? ""
             : "the store changes a run:\n" + report::to_json(run.result) + *out;
}

}  // namespace

std::string store(const std::string& input) {
  const auto run = report::from_json(input, "input");
  if (!run) return run.error().diagnostics.empty() ? "an error without a diagnostic" : "";
  const std::string text = report::to_json(run->result);
  const auto again = report::from_json(text, "again");
  if (!again) return "a document that was read cannot be written: " + render(again.error());
  if (report::to_json(again->result) != text) return "reading a document twice changes it";
  return check_stored(fresh_store(), *run);
}

}  // namespace gpx::fuzz
