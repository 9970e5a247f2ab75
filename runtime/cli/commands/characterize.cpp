// gpx characterize: all groups of measurements on one device, as one run.
// Covered by tests/cli/characterize_command_test.cpp.
#include "runtime/characterize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/try.h"
#include "runtime/cli/characterizing.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/several/several.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

struct CharacterizeCommand : Talk {
  DeviceOptions device;
  std::vector<std::string> only;  ///< Groups and families.
  double budget_s = 0;            ///< 0: none.
  OutputOptions outputs;
  StoreOptions store;
  bool only_list = false, no_wait = false, continues = false;

  void take(CommandLine& line) {
    device.take(line);
    line.option("--only", only, "GROUPS", "Groups or families of groups: memory,clock")
        .comma_separated()
        .one_each();
    line.option("--budget", budget_s, "SECONDS", "Stop after this many seconds (default: no limit)")
        .checked(seconds_mistake);
    line.flag("--continue", continues,
              "Continue this run if the store has a part of it, else begin it");
    take_no_wait(line, no_wait);
    outputs.take(line);
    store.take_writing(line);
    line.flag("--quiet,-q", quiet, "No report and no progress");
    line.flag("--list", only_list, "List the groups, and measure nothing");
  }
  Result<int> run(const Console& console) const;
  Result<int> run_apart(const std::vector<std::string>& devices, const Console& console) const;
};

Result<int> list_groups(const Paths& paths, const CharacterizeCommand& options,
                        const Console& console) {
  const auto groups = GPX_TRY(characterize_groups(paths).and_then(
      [&](auto all) { return select_groups(std::move(all), options.only); }));
  report::Table table({"family", "group", "what"});
  for (const CharacterizeGroup& group : groups)
    table.add({{group.family}, {group.name, report::Paint::bold}, {group.title}});
  print(console.out, table.render(console.out_style, 0));
  return kSuccess;
}

Result<int> CharacterizeCommand::run_apart(const std::vector<std::string>& devices,
                                           const Console& console) const {
  const auto groups = GPX_TRY(characterize_groups(find_paths()).and_then([&](auto all) {
    return select_groups(std::move(all), only);
  }));
  SeveralTask task{devices, "characterize", words_of(device, store), {}, {}, device.time_limit_s};
  if (!only.empty())
    task.options.insert(task.options.end(), {"--only", fmt::format("{}", fmt::join(only, ","))});
  if (budget_s > 0)
    task.options.insert(task.options.end(), {"--budget", fmt::format("{}", budget_s)});
  if (no_wait) task.options.emplace_back("--no-wait");
  if (continues) task.options.emplace_back("--continue");
  auto files = GPX_TRY(open_outputs(outputs));
  return run_several(task, files, *this, console);
}

Result<int> CharacterizeCommand::run(const Console& console) const {
  Paths paths = session_paths(console.program);
  if (only_list) return list_groups(paths, *this, console);
  if (const auto status = GPX_TRY(measured_apart(
          device, console, [&](const auto& devices) { return run_apart(devices, console); })))
    return *status;
  auto files = GPX_TRY(open_outputs(outputs));
  Session session(std::move(paths));
  const auto task = GPX_TRY(characterize_task(session, device.device, only));
  RunOptions asked;
  asked.device = device.device;
  asked.seed = device.seed;
  auto kept = GPX_TRY(keep_run(store, continues, console, task.sources, asked));
  if (kept.is_complete())
    return report_characterization(kept.earlier->result, files, *this, console);
  CharacterizeOptions options;
  options.seed = device.seed;
  options.before = kept.before();
  options.no_wait = no_wait;
  options.on_wait = say_why_it_waits;
  if (budget_s > 0) options.budget_s = budget_s;
  return characterize_and_report(session, task, std::move(options), kept.keeper, files, *this,
                                 console);
}

}  // namespace

CommandRow characterize_command() {
  return command_row<CharacterizeCommand>(
      30, "characterize", "Measure everything that can be measured of a device, in one table");
}

}  // namespace gpx::cli
