// gpx fleet cancel: no task of a fleet goes on; what is stored stays. Covered by
// tests/cli/fleet_test.cpp.
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/slurm.h"

namespace gpx::cli {
namespace {

struct FleetCancelCommand : Talk {
  std::string folder;

  void take(CommandLine& line) { take_fleet(line, folder); }
  Result<int> run(const Console& console) const {
    const auto fleet = GPX_TRY(read_fleet(folder));
    GPX_TRY(cancel(fleet));
    if (!quiet) print(console.out, "cancelled; the points that are stored stay\n");
    return kSuccess;
  }
};

}  // namespace

CommandRow fleet_cancel_command() {
  return command_row<FleetCancelCommand>(185, "fleet cancel", "Cancel the jobs of a fleet");
}

}  // namespace gpx::cli
