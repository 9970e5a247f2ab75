#include "runtime/cli/repl/script_host.h"

#include "lang/try.h"
#include "runtime/cli/output/progress.h"
#include "runtime/cli/stored.h"
#include "runtime/report/report.h"

namespace gpx::cli {

Result<RunResult> ScriptHost::run(const Source& source, const RunOptions& wanted) {
  ProgressBar bar(console_.err, console_.err_style, console_.err_is_terminal && !talk_.quiet);
  RunOptions run = wanted;
  run.stop = &stop_;
  ProgressLines lines(console_.err, console_.err_style);
  run.observers = {&bar};
  if (talk_.verbose && !console_.err_is_terminal) run.observers.push_back(&lines);
  auto keeper = GPX_TRY(RunKeeper::begin(store_, console_, {source}, run));
  keeper.observe(run);
  Result<RunResult> result = session_.run(source, run);
  const bool failed =
      !result || result->experiments.empty() || result->experiments.back().failure.has_value();
  const int kept = keeper.finish(console_, result && result->interrupted, failed);
  if (kept != kSuccess) status_ = kept;
  bar.clear();
  if (result) tell_warnings(*result);
  return result;
}

void ScriptHost::tell_warnings(const RunResult& result) {
  if (talk_.quiet) return;
  for (const ExperimentResult& experiment : result.experiments)
    for (const std::string& warning : experiment.warnings)
      if (told_.insert(warning).second)
        print(console_.err, report::warning_line(warning, console_.err_style));
}

Result<std::vector<store::RunEntry>> ScriptHost::runs(const store::Filter& filter) {
  const auto opened = GPX_TRY(open_store(store_, false));
  return opened.runs(filter);
}

Result<RunResult> ScriptHost::load(const std::string& run) {
  auto loaded = GPX_TRY(load_run(store_, run));
  return std::move(loaded.result);
}

}  // namespace gpx::cli
