// How many processes of this one's own use a device: a driver lists them among the others.
// Covered by tests/runtime/isolated_backend_test.cpp.
#pragma once

#include <atomic>

namespace gpx {

/// Live processes that this one has started to run what may hang. Each has a context of its own.
inline std::atomic<unsigned>& own_processes() {
  static std::atomic<unsigned> count = 0;
  return count;
}

}  // namespace gpx
