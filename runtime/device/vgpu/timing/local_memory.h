// LocalMemory: where the words of threads' local memory lie for an SM's caches. Word k of the lanes
// of a warp lies together, 32 of them in a line of 128 bytes; the warps of an SM's slots have
// places of their own, which later warps of the slot use again. Covered by
// tests/vgpu/local_memory_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {

class LocalMemory {
 public:
  static constexpr unsigned kWord = 4;  ///< Bytes.

  LocalMemory(unsigned sm, unsigned slots) : first_(std::uint64_t{sm} * slots) {}

  /// `bytes`: that the lanes of a warp have together.
  void start_block(std::uint64_t bytes) { of_warp_ = (bytes + kLine - 1) / kLine * kLine; }

  /// How many accesses one of so many bytes is: words of a lane lie in different lines.
  static unsigned parts(unsigned bytes) { return bytes <= kWord ? 1 : bytes / kWord; }
  /// Addresses of the lanes' words number `part` of such an access.
  void place(const exec::Effect& effect, unsigned slot, unsigned part, exec::Lanes& out) const {
    const std::uint64_t begin = kBegin + (first_ + slot) * of_warp_;
    for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t at = (*effect.addresses)[lane] + part * kWord;
      out[lane] = begin + at / kWord * kLine + lane * kWord + at % kWord;
    }
  }

 private:
  static constexpr std::uint64_t kLine = exec::kWarpSize * kWord;
  /// Beyond all buffers.
  static constexpr std::uint64_t kBegin = std::uint64_t{1} << 46;

  std::uint64_t first_;  // slot of the SM among those of all
  std::uint64_t of_warp_ = 0;
};

}  // namespace gpx::vgpu::timing
