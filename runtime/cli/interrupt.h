// Interrupt: Ctrl-C asks for a stop; what was measured so far is kept.
// Covered by tests/cli/interrupt_test.cpp.
#pragma once

#include <signal.h>

#include <atomic>

namespace gpx::cli {

/// While it lives, the first SIGINT or SIGTERM sets the flag; one that comes a second later or more
/// ends the process, should a stage not look at the flag. At most one lives at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The same one for all guards.
  static const std::atomic<bool>& flag();
  bool interrupted() const { return flag().load(); }

 private:
  struct sigaction interrupt_before_ {
  }, terminate_before_{};
};

/// While it lives, and no guard does, SIGINT does nothing: for between two lines of a REPL.
class IgnoredInterrupts {
 public:
  IgnoredInterrupts();
  ~IgnoredInterrupts();
  IgnoredInterrupts(const IgnoredInterrupts&) = delete;
  IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace gpx::cli
