#include "runtime/cli/run_options.h"

#include <algorithm>

namespace gpx::cli {

Result<RunOptions> run_options(const ExperimentOptions& options,
                               const std::vector<std::string>& dump) {
  RunOptions run;
  run.device = options.device;
  run.seed = options.seed;
  Error error{Fault::input, {}};
  for (const std::string& text : options.settings) {
    Result<Setting> setting = parse_setting(text);
    if (setting)
      run.settings.push_back(std::move(*setting));
    else
      error.diagnostics.insert(error.diagnostics.end(), setting.error().diagnostics.begin(),
                               setting.error().diagnostics.end());
  }
  const std::vector<std::string>& stages = dump_stages();
  for (const std::string& stage : dump) {
    run.dump.insert(stage);
    if (std::find(stages.begin(), stages.end(), stage) != stages.end()) continue;
    const auto near = nearest(stage, stages);
    std::string known;
    for (const std::string& name : stages) known += (known.empty() ? "" : ", ") + name;
    error.diagnostics.push_back({"unknown stage '" + stage + "' in --dump",
                                 {},
                                 near ? "did you mean '" + *near + "'?" : "stages: " + known});
  }
  if (!error.diagnostics.empty()) return tl::unexpected<Error>(std::move(error));
  return run;
}

}  // namespace gpx::cli
