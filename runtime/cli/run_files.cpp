#include "runtime/cli/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lang/try.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/stored.h"
#include "runtime/report/document.h"

namespace gpx::cli {
namespace {

Result<report::Run> read_file(const std::string& name) {
  const auto text = GPX_TRY(read_text(name, kMostDocumentBytes));
  const std::string shown = name == "-" ? "<stdin>" : name;
  auto document = GPX_TRY(report::read_document(text, shown));
  return report::Run{shown, std::move(document)};
}

Result<report::Run> read_stored(const StoreOptions& options, const std::string& name) {
  auto run = GPX_TRY(load_run(options, name));
  if (run.result.experiments.empty())
    return fail(Fault::input, fmt::format("run {} has no results", run.number));
  return report::Run{fmt::format("run {}", run.number), {std::move(run.result), run.origin}};
}

}  // namespace

void PictureOptions::take(CommandLine& line, const char* type, const char* help) {
  line.argument("RUN", runs,
                "Documents of gpx run --json, or runs of the store; - is standard input")
      .required()
      .completes(Values::documents);
  line.option("--output,-o", output, type, help).required();
  store.take(line);
}

bool names_document(const std::string& name) {
  std::error_code ignored;
  return name == "-" || std::filesystem::path(name).has_parent_path() || name.ends_with(".json") ||
         std::filesystem::exists(name, ignored);
}

Result<report::Run> read_run(const StoreOptions& store, const std::string& name) {
  return names_document(name) ? read_file(name) : read_stored(store, name);
}

Result<std::vector<report::Run>> read_runs(const PictureOptions& options) {
  std::vector<report::Run> runs;
  Error error{Fault::input, {}};
  for (const std::string& name : options.runs) {
    Result<report::Run> run = read_run(options.store, name);
    if (run) {
      runs.push_back(std::move(*run));
      continue;
    }
    if (run.error().fault == Fault::device) error.fault = Fault::device;
    std::ranges::move(run.error().diagnostics, std::back_inserter(error.diagnostics));
  }
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  return runs;
}

}  // namespace gpx::cli
