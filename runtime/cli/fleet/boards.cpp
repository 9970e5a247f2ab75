#include "runtime/cli/fleet/boards.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "lang/try.h"
#include "runtime/cli/run_files.h"

namespace gpx::cli {
namespace {

/// By its first bytes, not its name; what ends in .db is one even where it cannot be read.
bool names_store(const std::string& name) {
  constexpr std::string_view kSqlite = "SQLite format 3";
  std::string head(kSqlite.size(), '\0');
  std::ifstream file(name, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return (file && head == kSqlite) || name.ends_with(".db");
}

Result<void> gather_run(fleet::Gathering& into, const std::string& name,
                        const StoreOptions& store) {
  const auto run = GPX_TRY(read_run(store, name));
  const auto& origin = run.document.origin;
  fleet::RunPlace place;
  place.document = run.name;
  GPX_TRY(into.begin(place, origin ? &*origin : nullptr));
  for (const ExperimentResult& each : run.document.result.experiments) GPX_TRY(into.add(each));
  return {};
}

}  // namespace

void take_boards(CommandLine& line, std::vector<std::string>& names) {
  line.argument("STORE|RUN", names,
                "Stores, documents of gpx run --json, or runs of the usual store")
      .required()
      .completes(Values::documents);
}

Result<fleet::Fleet> gather(const std::vector<std::string>& names, const StoreOptions& store) {
  fleet::Gathering gathering;
  Error error{Fault::input, {}};
  for (const std::string& name : names) {
    const Result<void> ok = names_store(name) ? fleet::gather_store(gathering, name)
                                              : gather_run(gathering, name, store);
    if (ok) continue;
    if (ok.error().fault == Fault::device) error.fault = Fault::device;
    std::ranges::copy(ok.error().diagnostics, std::back_inserter(error.diagnostics));
  }
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  fleet::Fleet fleet = gathering.take();
  if (fleet.boards.empty())
    return fail(Fault::input, "there are no results: the stores hold no finished experiment");
  return fleet;
}

}  // namespace gpx::cli
