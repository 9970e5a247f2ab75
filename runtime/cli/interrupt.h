// Interrupt: Ctrl-C asks for a stop; what was measured so far is kept.
// Covered by tests/cli/interrupt_test.cpp.
#pragma once

#include <atomic>

namespace gpx::cli {

/// While it lives, the first SIGINT or SIGTERM sets the flag; a second one ends the process, should
/// a stage not look at the flag. At most one lives at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& flag() const;
  bool interrupted() const { return flag().load(); }
};

}  // namespace gpx::cli
