// A chase: one thread follows links through a list of places, and each access is timed.
// Covered by tests/runtime/prober_test.cpp.
#pragma once

#include "runtime/analysis/probe/place.h"
#include "runtime/analysis/probe/request.h"

namespace gpx {

/// Clocks of each observed access in the order of the visits; one number for an average. An access
/// that is observed by itself takes some clocks longer than its load: those of reading the clock.
using ChaseLatencies = std::vector<double>;

/// One thread follows links through `offsets` (distinct, in bytes, in visiting order) of an array,
/// round and round: `warm_passes` unobserved passes, then `observed_passes`. Warm passes are
/// rounded up to a multiple of the observed ones, because the timed region is what is rehearsed.
struct ChaseRequest final : ExperimentProbe {
  Space space = Space::global;
  CacheOp cache = CacheOp::unspecified;
  std::uint32_t width = 4;  ///< Bytes of a link: 4 or 8.
  std::uint64_t array_bytes = 0;
  std::vector<std::uint64_t> offsets;
  std::uint32_t warm_passes = 2;
  std::uint32_t observed_passes = 1;
  bool average = false;  ///< Clocks an access over all observed passes, instead of each one's.
  bool flush = false;    ///< L2, which has the links as they were written, is flushed before.
  ProbePlace place;
  std::uint32_t copies = 1;  ///< Of its kernel: a constant array has as many places...
  std::uint32_t copy = 0;    ///< ...of which this one is chased.

  /// Observed, over all passes.
  std::uint64_t accesses() const { return offsets.size() * std::uint64_t{observed_passes}; }

  /// Errors: an offset stands twice in the list; there is no such copy; more accesses than an
  /// eighth of the device's memory keeps a record of.
  Result<void> check(const DeviceInfo& device) const override;
  std::string question() const override;
  std::vector<std::uint64_t> key() const override;
  std::uint32_t kernels() const override { return copies; }
  Experiment experiment() const override;
  void set(codegen::Launch& launch, const codegen::Kernel& kernel) const override;
  /// An error: a link was not read at its place in the list.
  Result<ChaseLatencies> read(const codegen::Program& program, const codegen::Launch& launch,
                              std::span<const Repetition> repetitions) const override;

 private:
  std::uint64_t recorded() const;
};

}  // namespace gpx
