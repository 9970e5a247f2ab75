#include "runtime/cli/characterizing.h"

#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/report/report.h"

namespace gpx::cli {
namespace {

/// "  3/16 texture  1.2 s", on standard error as each group ends.
std::string progress_text(const ExperimentResult& group, std::size_t ended, std::size_t all) {
  std::string how = fmt::format("{:.1f} s", group.group->seconds);
  if (group.failure) how += ", failed: " + group.failure->diagnostics.front().message;
  if (group.interrupted) how = "not run: " + group.group->reason;
  return fmt::format("{:>4}/{} {}  {}\n", ended, all, group.experiment.name, how);
}

/// The first group that failed decides; its message and all others' are printed.
int failures(const RunResult& result, const Console& console) {
  int status = kSuccess;
  for (const ExperimentResult& group : result.experiments) {
    if (!group.failure) continue;
    const int failed = print_error(console, *group.failure);
    if (status == kSuccess) status = failed;
  }
  return status;
}

}  // namespace

int report_characterization(const RunResult& result, Outputs& outputs, const Talk& talk,
                            const Console& console) {
  const int written = write_results(result, outputs, console);
  const bool aside = outputs.stdout_is_data();
  if (!talk.quiet)
    print(aside ? console.err : console.out,
          report::characterization_text(result, aside ? console.err_style : console.out_style));
  return written;
}

Result<int> characterize_and_report(Session& session, const CharacterizeTask& task,
                                    CharacterizeOptions options, RunKeeper& keeper,
                                    Outputs& outputs, const Talk& talk, const Console& console) {
  const InterruptGuard interrupt;
  options.stop = &interrupt.flag();
  options.observer = [&](std::size_t group) { return keeper.observer(group); };
  std::FILE* const progress = console.progress ? console.progress : console.err;
  if (console.progress || (console.err_is_terminal ? !talk.quiet : talk.verbose))
    options.on_group = [&](const ExperimentResult& group, std::size_t ended, std::size_t all) {
      print(progress, progress_text(group, ended, all));
      std::fflush(progress);
    };
  const auto result = GPX_TRY(characterize(session, task, options));

  const int written = report_characterization(result, outputs, talk, console);
  int status = failures(result, console);
  const int kept = keeper.finish(console, result.interrupted, status != kSuccess);
  if (!talk.quiet && keeper.number() > 0)
    print(outputs.stdout_is_data() ? console.err : console.out,
          fmt::format("kept as run {}\n", keeper.number()));
  if (status == kSuccess && interrupt.flag()) status = kInterrupted;
  if (status == kSuccess) status = written;
  return status == kSuccess ? kept : status;
}

Result<int> characterize_again(
    const StoredTask& stored, const RunResult* before,
    const std::function<Result<RunKeeper>(const std::vector<Source>&)>& keep, Outputs& outputs,
    const Talk& talk, const Console& console) {
  Session session(session_paths(console.program));
  const auto task = GPX_TRY(characterize_task(session, stored.run.device, stored.sources));
  auto keeper = GPX_TRY(keep(task.sources));
  CharacterizeOptions options;
  options.seed = stored.run.seed;
  options.before = before;
  return characterize_and_report(session, task, std::move(options), keeper, outputs, talk, console);
}

}  // namespace gpx::cli
