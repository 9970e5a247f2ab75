// Prober: further pointer chases on an open device, for an analysis that asks as it learns.
//
// One kernel for each kind of chase is compiled and loaded once and kept; a request is only a
// launch with other contents and scalars. What comes back is what was observed, nothing of the
// device's description. Covered by tests/runtime/prober_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/experiment.h"

namespace gpx {

class Backend;

/// A block beside the one that is observed, on an SM: it follows links of an array of its own, or
/// runs straight code of so many bytes, over and over.
struct ProbeBeside {
  std::uint32_t sm = 0;
  std::uint64_t code_bytes = 0;  ///< 0: it chases.
  std::uint64_t array_bytes = 0;
  std::vector<std::uint64_t> offsets;
};

/// Where a request runs, and beside what.
struct ProbePlace {
  std::optional<std::uint32_t> sm;  ///< Absent: wherever the device puts it.
  std::vector<ProbeBeside> beside;
};

/// One thread runs straight code of so many bytes: `warm_passes` unobserved, then one that counts,
/// in each of `repetitions` launches.
struct CodeRequest {
  std::uint64_t bytes = 0;
  std::uint32_t warm_passes = 2;
  std::uint32_t repetitions = 1;
  ProbePlace place;
};

/// One thread follows links through `offsets` (distinct, in bytes, in visiting order) of an array,
/// round and round: `warm_passes` unobserved passes, then `observed_passes`.
struct ChaseRequest {
  Space space = Space::global;
  CacheOp cache = CacheOp::unspecified;
  std::uint32_t width = 4;  ///< Bytes of a link: 4 or 8.
  std::uint64_t array_bytes = 0;
  std::vector<std::uint64_t> offsets;
  std::uint32_t warm_passes = 2;
  std::uint32_t observed_passes = 1;
  bool average = false;  ///< Clocks an access over all observed passes, instead of each one's.
  ProbePlace place;
};

/// Clocks of each observed access in the order of the visits; one number for an average. An access
/// that is observed by itself takes some clocks longer than its load: those of reading the clock.
using ChaseLatencies = std::vector<double>;

class Prober {
 public:
  virtual ~Prober() = default;
  /// An error: an offset stands twice in the list, the device cannot run it (memory, a space that
  /// it lacks), or a link was read wrongly.
  virtual Result<ChaseLatencies> chase(const ChaseRequest& request) = 0;
  /// Clocks of the pass that counts, of each repetition.
  virtual Result<std::vector<double>> code(const CodeRequest& request) = 0;
  /// Bytes that an array of this space can have.
  virtual std::uint64_t most_bytes(Space space) const = 0;
};

/// A prober over a backend, which must outlive it. It replaces what the backend has loaded. `stop`
/// set: the next request is an error.
std::unique_ptr<Prober> make_prober(Backend& backend, const std::atomic<bool>& stop,
                                    std::uint64_t seed);

}  // namespace gpx
