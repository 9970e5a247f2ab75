// gpx fleet compare: each board against the others of its model.
// Covered by tests/cli/fleet_compare_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/boards.h"
#include "runtime/fleet/text.h"

namespace gpx::cli {
namespace {

struct FleetCompareCommand : Talk {
  std::vector<std::string> names;
  double margin = 3;
  bool as_json = false;
  StoreOptions store;

  void take(CommandLine& line) {
    take_boards(line, names);
    line.option("--margin", margin, "PERCENT", "A difference that matters").shows_default();
    line.flag("--json", as_json, "As JSON");
    store.take(line);
  }
  Result<int> run(const Console& console) const;
};

Result<int> FleetCompareCommand::run(const Console& console) const {
  if (!(margin > 0 && margin < 100)) return fail(Fault::input, "--margin is a percentage above 0");
  const auto fleet = GPX_TRY(gather(names, store));
  fleet::CompareOptions options;
  options.margin = margin / 100;
  const std::vector<fleet::Likeness> all = fleet::compare(fleet, options);
  const bool peers =
      std::ranges::any_of(all, [](const fleet::Likeness& each) { return each.peers > 0; });
  if (!peers)
    return fail(Fault::input,
                fmt::format("nothing to compare: no device has two boards, and "
                            "'{}' was measured on one",
                            fleet.boards.front().device),
                "the boards of one model differ in their UUIDs");
  print(console.out, as_json ? fleet::to_json(fleet, all, options)
                             : fleet::to_terminal(fleet, all, console.out_style, verbose));
  const bool odd = std::ranges::any_of(
      all, [](const fleet::Likeness& each) { return each.peers > 0 && each.stands_out(); });
  return odd ? kExpectationFailed : kSuccess;
}

}  // namespace

CommandRow fleet_compare_command() {
  return command_row<FleetCompareCommand>(132, "fleet compare",
                                          "Compare each board with the others of its model");
}

}  // namespace gpx::cli
