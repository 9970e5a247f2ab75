#include "runtime/cli/running.h"

#include <algorithm>
#include <filesystem>

#include "lang/try.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/progress.h"
#include "runtime/report/html.h"
#include "runtime/report/report.h"
#include "runtime/store/recorder.h"

namespace gpx::cli {
namespace {

/// What was measured before an error is kept: `failure` stands beside the results.
struct Outcome {
  RunResult result;
  std::optional<Error> failure;
};

/// Of an earlier run, what belongs to a source that has so many experiments.
RunResult take(const RunResult& before, std::size_t& next, std::size_t experiments) {
  RunResult part;
  for (; experiments > 0 && next < before.experiments.size(); --experiments)
    part.experiments.push_back(before.experiments[next++]);
  return part;
}

Outcome run_sources(const std::vector<Source>& sources, RunOptions run, const RunResult* before,
                    const std::string& program) {
  Outcome outcome;
  outcome.result.sources = sources;
  outcome.result.settings = run.settings;
  Session session(session_paths(program));
  std::size_t next = 0;
  for (const Source& source : sources) {
    RunResult earlier;
    if (before) {
      earlier = take(*before, next, store::checked_experiments({source}, run.settings).size());
      run.before = &earlier;
    }
    Result<RunResult> result = session.run(source, run);
    outcome.result.interrupted = run.stop && *run.stop;
    if (!result) {
      if (!outcome.result.interrupted) outcome.failure = result.error();
      return outcome;
    }
    outcome.result.interrupted = result->interrupted;
    for (ExperimentResult& experiment : result->experiments) {
      if (!outcome.failure) outcome.failure = experiment.failure;
      outcome.result.experiments.push_back(std::move(experiment));
    }
    if (result->experiments.empty()) outcome.failure = no_experiment(source.name());
    if (outcome.failure || result->interrupted) return outcome;
  }
  return outcome;
}

namespace fs = std::filesystem;

/// A relative name meant the folder in which the run was started: so do the scripts beside it.
Source in_folder(const Source& source, const std::string& folder) {
  std::error_code error;
  const fs::path name = source.name();
  const bool elsewhere = !folder.empty() && fs::current_path(error) != folder;
  if (!elsewhere || name.is_absolute() || source.name().starts_with('<')) return source;
  return Source((fs::path(folder) / name).string(), source.text());
}

int finish(const Outcome& outcome, Outputs& outputs, const ReportOptions& options,
           const Console& console) {
  int status = kSuccess;
  if (!outcome.result.experiments.empty()) {
    status = write_results(outcome.result, outputs, console);
    const bool aside = outputs.stdout_is_data();
    if (!options.quiet)
      print(aside ? console.err : console.out,
            report::to_terminal(outcome.result, {aside ? console.err_style : console.out_style,
                                                 options.plot, options.verbose}));
  }
  if (outcome.failure) return print_error(console, *outcome.failure);
  if (status != kSuccess) return status;
  if (outcome.result.interrupted) return kInterrupted;
  return report::expectations_hold(outcome.result) ? kSuccess : kExpectationFailed;
}

}  // namespace

report::RunOrigin origin_of_page(const RunResult& result, const Console& console) {
  report::RunOrigin origin;
  origin.command = command_line(console.arguments);
  if (std::ranges::any_of(result.experiments,
                          [](const ExperimentResult& each) { return each.device.measured; }))
    origin.ended = store::time_now();
  return origin;
}

Result<Outputs> open_outputs(const OutputOptions& options) {
  if ((options.json == "-") + (options.csv == "-") + (options.report == "-") > 1)
    return fail(Fault::input, "only one of --json, --csv and --report can be standard output");
  auto json = GPX_TRY(Output::open(options.json));
  auto csv = GPX_TRY(Output::open(options.csv));
  auto report = GPX_TRY(Output::open(options.report));
  return Outputs{std::move(json), std::move(csv), std::move(report), options.all_columns};
}

int write_results(const RunResult& result, Outputs& outputs, const Console& console) {
  int status = kSuccess;
  const auto write = [&](Output& output, auto&& text) {
    if (!output.wanted()) return;
    if (const Result<void> written = output.write(text(result), console.out); !written)
      status = print_error(console, written.error());
  };
  write(outputs.json, [](const RunResult& run) { return report::to_json(run); });
  write(outputs.csv, outputs.all_columns ? report::to_whole_csv : report::to_csv);
  write(outputs.report, [&](const RunResult& run) {
    return report::to_html({{"this run", {run, origin_of_page(run, console)}}});
  });
  return status;
}

int report_results(const RunResult& result, Outputs& outputs, const ReportOptions& options,
                   const Console& console) {
  return finish({result, std::nullopt}, outputs, options, console);
}

int run_and_report(const std::vector<Source>& sources, RunOptions run, const RunResult* before,
                   RunKeeper& keeper, Outputs& outputs, const ReportOptions& options,
                   const Console& console) {
  const InterruptGuard interrupt;
  ProgressBar bar(console.err, console.err_style, console.err_is_terminal && !options.quiet);
  run.stop = &interrupt.flag();
  ProgressLines lines(console.err, console.err_style);
  run.observers = {&bar};
  SlowLines slow(console.err, console.err_style);
  if (options.verbose && !console.err_is_terminal) run.observers.push_back(&lines);
  if (!options.verbose && !options.quiet && !console.err_is_terminal)
    run.observers.push_back(&slow);
  std::optional<ProgressLines> member;
  if (console.progress) {
    constexpr report::Style kNarrow{false, true, 48};
    run.observers.push_back(&member.emplace(console.progress, kNarrow, 0.5));
  }
  keeper.observe(run);
  const Outcome outcome = run_sources(sources, run, before, console.program);
  bar.clear();
  const int status = finish(outcome, outputs, options, console);
  const int kept = keeper.finish(console, outcome.result.interrupted, outcome.failure.has_value());
  return status == kSuccess ? kept : status;
}

StoredTask task_of(const store::StoredRun& run) {
  StoredTask task;
  for (const Source& source : run.result.sources)
    task.sources.push_back(in_folder(source, run.origin.folder));
  for (const ExperimentResult& each : run.result.experiments)
    for (const Source& file : each.kernel_files)
      task.run.kernel_files.push_back(in_folder(file, run.origin.folder));
  task.run.settings = run.result.settings;
  task.run.device = run.origin.device;
  task.run.seed = run.origin.seed;
  task.run.all_blocks = std::ranges::any_of(run.result.experiments, &ExperimentResult::all_blocks);
  if (!run.result.experiments.empty()) task.run.shard = run.result.experiments.front().shard;
  return task;
}

}  // namespace gpx::cli
