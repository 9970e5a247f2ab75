// gpx doctor: what was found on this machine. Covered by tests/cli/commands_test.cpp.
#include "runtime/doctor.h"

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {

/// Status 3 where no experiment can run.
int doctor_command(const Options&, const Console& console) {
  const DoctorReport report = examine(find_paths());
  print(console.out, to_string(report));
  return report.nvrtc.found && report.stdlib.found ? kSuccess : kToolFailed;
}

}  // namespace gpx::cli
