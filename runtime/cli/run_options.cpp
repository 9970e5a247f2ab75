#include "runtime/cli/run_options.h"

#include <algorithm>

#include "lang/lists.h"

namespace gpx::cli {
namespace {

void check_stage(const std::string& stage, const std::string& option,
                 const std::vector<std::string>& stages, Error& error) {
  if (contains(stages, stage)) return;
  const auto near = nearest(stage, stages);
  const std::string known = joined(stages, ", ");
  error.diagnostics.push_back({"unknown stage '" + stage + "' in " + option,
                               {},
                               near ? "did you mean '" + *near + "'?" : "stages: " + known});
}

}  // namespace

Result<RunOptions> run_options(const ExperimentOptions& options, const StageOptions& stages) {
  RunOptions run;
  run.device = options.device;
  run.seed = options.seed;
  run.all_blocks = options.all_blocks;
  run.no_wait = options.no_wait;
  run.on_wait = say_why_it_waits;
  Error error{Fault::input, {}};
  for (const std::string& text : options.settings) {
    Result<Setting> setting = parse_setting(text);
    if (setting)
      run.settings.push_back(std::move(*setting));
    else
      error.diagnostics.insert(error.diagnostics.end(), setting.error().diagnostics.begin(),
                               setting.error().diagnostics.end());
  }
  for (const std::string& stage : stages.dump) {
    run.dump.insert(stage);
    check_stage(stage, "--dump", dump_stages(), error);
  }
  run.from = stages.from;
  if (!run.from.empty()) check_stage(run.from, "--from", entry_stages(), error);
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  return run;
}

}  // namespace gpx::cli
