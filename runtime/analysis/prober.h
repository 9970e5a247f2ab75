// Prober: further measurements on an open device, for an analysis that asks as it learns.
//
// What a request can be: runtime/analysis/probe/, a kind a file. One kernel for each key of a kind
// is compiled and kept; a request is only a launch with other contents and scalars. What comes back
// is what was observed, nothing of the device's description.
// Covered by tests/runtime/prober_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/analysis/probe/request.h"

namespace gpx {

class Prober {
 public:
  virtual ~Prober() = default;
  /// Fault::input is a refusal: gpx or the device cannot do what was asked (memory, a limit).
  /// Fault::device: the device failed, or answered what cannot be; or the run was stopped.
  virtual Result<std::vector<double>> ask(const ProbeRequest& request) = 0;
  /// Bytes that an array of this space can have.
  virtual std::uint64_t most_bytes(Space space) const = 0;
};

/// A prober over a backend, which must outlive it. It replaces what the backend has loaded. `stop`
/// set: the next request is an error.
std::unique_ptr<Prober> make_prober(Backend& backend, const std::atomic<bool>& stop,
                                    std::uint64_t seed);

}  // namespace gpx
