// gpx doctor: what was found on this machine. Covered by tests/cli/commands_test.cpp.
#include "runtime/doctor.h"

#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {
namespace {

struct DoctorCommand : Talk {
  /// Status 3 where no experiment can run.
  int run(const Console& console) const {
    const DoctorReport report = examine(find_paths());
    print(console.out, to_string(report));
    const bool compiles = report.nvrtc.found || report.clang.found;
    return compiles && report.stdlib.found ? kSuccess : kToolFailed;
  }
};

}  // namespace

CommandRow doctor_command() {
  return command_row<DoctorCommand>(210, "doctor",
                                    "Show what gpx found on this machine, and what is missing");
}

}  // namespace gpx::cli
