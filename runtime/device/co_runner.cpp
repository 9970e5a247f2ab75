// Interface: co_runner.h.
#include "runtime/device/co_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpx {
namespace {

/// A control that is faster than the reference shows no other process: a device has such modes,
/// too.
std::string what_happened(const CoRunner& seen) {
  if (seen.seen()) return "another process used the device";
  if (seen.processes > 0)
    return fmt::format("{} other process{} on the device", seen.processes,
                       seen.processes == 1 ? " is" : "es are");
  return fmt::format("a control measurement was faster than the reference, which was taken anew{}",
                     seen.voided == 1 ? std::string() : fmt::format(" {} times", seen.voided));
}

}  // namespace

CoRunner CoRunner::since(const CoRunner& before) const {
  CoRunner more = *this;
  more.processes = std::max(processes, before.processes);
  more.controls -= before.controls;
  more.disturbed -= before.disturbed;
  more.again -= before.again;
  more.given_up -= before.given_up;
  more.standstills -= before.standstills;
  more.cold -= before.cold;
  more.voided -= before.voided;
  more.expected = late_by_chance(more.controls);
  return more;
}

unsigned late_by_chance(unsigned count) {
  // Poisson: a control is late, early or stands still.
  const double mean = 3 * kControlErrorRate * count;
  double term = std::exp(-mean), rest = 1 - term;
  unsigned most = 0;
  while (rest > kControlErrorRate) {
    term *= mean / ++most;
    rest -= term;
  }
  return most;
}

std::string to_string(const CoRunner& seen) {
  if (!seen.seen() && seen.processes == 0 && seen.voided == 0) return {};
  std::string text = what_happened(seen);
  text +=
      fmt::format(": {} of {} control measurements were disturbed", seen.disturbed, seen.controls);
  if (seen.longest_us >= 1) text += fmt::format(", for up to {:.0f} us", seen.longest_us);
  if (seen.slowdown > 1) text += fmt::format(", up to {:.2f} times as slow", seen.slowdown);
  if (seen.again > 0) text += fmt::format("; {} batches were run again", seen.again);
  if (seen.standstills > 0) text += fmt::format("; {} standstills", seen.standstills);
  if (seen.given_up > 0) text += fmt::format("; {} found no quiet time", seen.given_up);
  return text;
}

}  // namespace gpx
