// Quiet: measurements on a device that other processes may use, too.
//
// A control measurement is a short kernel whose time repeats while the device is alone
// (stdlib/probes/control.cu). One stands before and one behind each batch of launches. A batch runs
// twice: another process only adds time, so each job's fastest run counts once another one confirms
// it. A batch beside a control that was late is run again after a pause. docs/co_runners.md has the
// thresholds and their error rates. Covered by tests/runtime/quiet_test.cpp.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"

namespace gpx {

/// The backend with control measurements, by the kernel at `stdlib`/probes/control.cu; the same one
/// where no other process can use its device. Its run() has one more error: no quiet time was found
/// (CoRunner::given_up).
std::unique_ptr<Backend> watched(std::unique_ptr<Backend> backend, const std::string& stdlib);

/// Times of controls on a quiet device, and what is too much.
class Reference {
 public:
  /// Of `times`, which another process may have made longer but not shorter: the least quarter
  /// tells the scatter. At least 16.
  explicit Reference(std::vector<double> times);
  /// Too late by chance at a rate of 1e-6, for times with a normal scatter.
  bool late(double time) const { return time > high_; }
  /// Sooner than a quiet control can be: the reference was disturbed.
  bool early(double time) const { return time < low_; }
  /// Enough of the times agree to be a reference.
  bool repeats() const { return repeats_; }
  double least() const { return least_; }

 private:
  double least_ = 0, low_ = 0, high_ = 0;
  bool repeats_ = false;
};

}  // namespace gpx
