// StopScope: what ends the long loops of a thread. A loop that may last for more than a second
// polls StopScope::raised(), and returns StopScope::error() or what it has by then.
//
// Covered by tests/runtime/stop_test.cpp.
#pragma once

#include <atomic>

#include "lang/diagnostic.h"

namespace gpx {

/// While it lives, `flag` ends what its thread does; nullptr: nothing does. The flag outlives it.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* flag) : before_(current_) { current_ = flag; }
  ~StopScope() { current_ = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static const std::atomic<bool>* flag() { return current_; }
  static bool raised() { return current_ && current_->load(std::memory_order_relaxed); }
  static tl::unexpected<Error> error() { return fail(Fault::device, "stopped"); }

 private:
  static inline thread_local const std::atomic<bool>* current_ = nullptr;
  const std::atomic<bool>* before_;
};

}  // namespace gpx
