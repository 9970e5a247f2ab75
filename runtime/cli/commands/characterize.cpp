// gpx characterize: all groups of measurements on one device, as one table and one document.
// Covered by tests/cli/characterize_command_test.cpp.
#include "runtime/characterize.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/output.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

/// A number above 0; the text is what is wrong.
std::string seconds_mistake(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && seconds > 0 && std::isfinite(seconds)
             ? std::string()
             : "'" + text + "' is not a number of seconds above 0";
}

struct CharacterizeCommand : Talk {
  DeviceOptions device;
  std::vector<std::string> only;  ///< Groups and families.
  double budget_s = 0;            ///< 0: none.
  std::string json;
  bool only_list = false;

  void take(CommandLine& line) {
    device.take(line);
    line.option("--only", only, "GROUPS", "Groups or families of groups: memory,clock")
        .comma_separated()
        .one_each();
    line.option("--budget", budget_s, "SECONDS",
                "Seconds after which no group begins or goes on (default: none)")
        .checked(seconds_mistake);
    take_json(line, json, "Write the results as JSON; - is standard output");
    line.flag("--quiet,-q", quiet, "No report and no progress");
    line.flag("--list", only_list, "Say which groups there are, and measure nothing");
  }
  int run(const Console& console) const;
};

int list_groups(const Paths& paths, const CharacterizeCommand& options, const Console& console) {
  const auto groups = characterize_groups(paths).and_then(
      [&](auto all) { return select_groups(std::move(all), options.only); });
  if (!groups) return print_error(console, groups.error());
  report::Table table({"family", "group", "what"});
  for (const CharacterizeGroup& group : *groups)
    table.add({{group.family}, {group.name, report::Paint::bold}, {group.title}});
  print(console.out, table.render(console.out_style, 0));
  return kSuccess;
}

/// "  3/16 texture  1.2 s", on standard error as each group ends.
std::string progress_text(const GroupResult& group, std::size_t ended, std::size_t all) {
  std::string how = fmt::format("{:.1f} s", group.seconds);
  if (group.state == GroupResult::State::failed) how += ", failed: " + group.reason;
  if (group.state == GroupResult::State::not_run) how = "not run: " + group.reason;
  return fmt::format("{:>4}/{} {}  {}\n", ended, all, group.group.name, how);
}

CharacterizeOptions settings_of(const CharacterizeCommand& options, const Console& console) {
  CharacterizeOptions settings;
  settings.device = options.device.device;
  settings.only = options.only;
  settings.seed = options.device.seed;
  if (options.budget_s > 0) settings.budget_s = options.budget_s;
  if (console.err_is_terminal ? !options.quiet : options.verbose)
    settings.on_group = [&console](const GroupResult& group, std::size_t ended, std::size_t all) {
      print(console.err, progress_text(group, ended, all));
      std::fflush(console.err);
    };
  return settings;
}

/// The first group that failed decides, as in `gpx run`; its message and all others' are printed.
int status_of(const Characterization& result, const Console& console) {
  int status = kSuccess;
  for (const GroupResult& group : result.groups) {
    if (!group.failure) continue;
    const int failed = print_error(console, *group.failure);
    if (status == kSuccess) status = failed;
  }
  return status == kSuccess && result.interrupted ? kInterrupted : status;
}

int CharacterizeCommand::run(const Console& console) const {
  Paths paths = find_paths();
  paths.program = console.program;
  if (only_list) return list_groups(paths, *this, console);
  Result<Output> output = Output::open(json);
  if (!output) return print_error(console, output.error());

  const InterruptGuard interrupt;
  CharacterizeOptions settings = settings_of(*this, console);
  settings.stop = &interrupt.flag();
  const auto result = characterize(paths, settings);
  if (!result) return print_error(console, result.error());

  int written = kSuccess;
  if (output->wanted())
    if (const auto ok = output->write(report::to_json(*result), console.out); !ok)
      written = print_error(console, ok.error());
  const bool aside = output->to_stdout();
  if (!quiet)
    print(aside ? console.err : console.out,
          report::to_terminal(*result, aside ? console.err_style : console.out_style));
  const int status = status_of(*result, console);
  return status == kSuccess ? written : status;
}

}  // namespace

CommandRow characterize_command() {
  return command_row<CharacterizeCommand>(
      30, "characterize", "Measure everything that can be measured of a device, in one table");
}

}  // namespace gpx::cli
