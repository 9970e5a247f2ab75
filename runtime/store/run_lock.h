// RunLock: who writes a run is alive. The kernel lets go of the lock when its process ends, however
// that happens. Covered by tests/store/store_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "lang/diagnostic.h"

namespace gpx::store {

/// A byte of the file STORE-live, at the run's number.
class RunLock {
 public:
  RunLock() = default;
  /// An error: another process holds it, or the file cannot be written.
  static Result<RunLock> take(const std::string& store, std::int64_t run);
  RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RunLock& operator=(RunLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~RunLock();

 private:
  int descriptor_ = -1;
};

/// Whether a process (this one, too) holds the run's lock.
bool is_held(const std::string& store, std::int64_t run);

}  // namespace gpx::store
