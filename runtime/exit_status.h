// How a process of gpx ends. Covered by tests/cli/.
#pragma once

namespace gpx {

/// Errors have their own status: Fault's values, 2 and 3.
enum ExitStatus {
  kSuccess = 0,
  kExpectationFailed = 1,
  kInputWrong = 2,
  kToolFailed = 3,
  kInterrupted = 130,
  kReaderGone = 141  ///< Who read the output stopped: what a shell says of SIGPIPE.
};

}  // namespace gpx
