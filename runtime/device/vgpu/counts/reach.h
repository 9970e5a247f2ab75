// Reach: the lines of its buffers that a launch touches, so that a later launch finds in L2 what it
// leaves there. Covered by tests/runtime/sequence_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/device/vgpu/counts/kernel_counts.h"

namespace gpx::vgpu {

/// Of one buffer.
struct Reach {
  std::size_t buffer = 0;   ///< Index into codegen::Program::buffers.
  std::uint64_t begin = 0;  ///< Byte of the buffer: of the first line that is touched.
  std::uint64_t end = 0;    ///< Behind the last one.
  double lines = 0;         ///< That are touched, each once; they lie evenly over the range.
  double written = 0;       ///< Of these, that are stored to...
  double parts = 4;         ///< ...in so many of their quarters, in the mean: 1 to 4...
  double lacking = 0;       ///< ...of which so many are not filled by stores, nor loaded.
};

struct ReachOptions {
  std::uint64_t line = 128;                ///< Bytes.
  std::uint64_t instructions = 2'000'000;  ///< Of warps, about: all blocks, or as many as take it.
  const std::atomic<bool>* stop = nullptr;
};

/// Buffers that the launch does not touch are left out. Of a sample, blocks are taken to touch
/// lines of their own, as far as the range has as many. Empty: not known (a trap, copies whose
/// addresses are no lanes').
std::vector<Reach> reach_of(const KernelCounter& kernel, const codegen::Launch& launch,
                            const ReachOptions& options = {});

}  // namespace gpx::vgpu
