#include "runtime/cli/run_files.h"

#include <algorithm>

#include "runtime/cli/files.h"
#include "runtime/report/document.h"

namespace gpx::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  ///< Of a document.

Result<report::Run> read_run(const std::string& name) {
  Result<Source> text = read_source(name, kMostBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  Result<report::Document> document = report::read_document(*text);
  if (!document) return tl::unexpected<Error>(document.error());
  return report::Run{name == "-" ? "standard input" : name, std::move(*document)};
}

}  // namespace

Result<std::vector<report::Run>> read_runs(const std::vector<std::string>& names) {
  std::vector<report::Run> runs;
  Error error{Fault::input, {}};
  for (const std::string& name : names) {
    Result<report::Run> run = read_run(name);
    if (run)
      runs.push_back(std::move(*run));
    else
      std::ranges::move(run.error().diagnostics, std::back_inserter(error.diagnostics));
  }
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  return runs;
}

}  // namespace gpx::cli
