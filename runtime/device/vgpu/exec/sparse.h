// Which elements of a row a sparse factor keeps: of mma.sp and wgmma.mma_async.sp.
//
// Two of four (of 32 bits: one of two), told by four bits: the places of both, the first in the low
// bits; of 32 bits 0x4 and 0xe. Here all rows keep the same ones: other metadata is a trap.
// Covered by tests/vgpu/exec_mma_test.cpp and tests/vgpu/exec_warpgroup_test.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {

class KeptElements {
 public:
  /// From the lanes' metadata. False: it trapped.
  bool read(Context& c, const Lanes& metadata, unsigned factor_bits) {
    factor_bits_ = factor_bits;
    const auto word = static_cast<std::uint32_t>(metadata[0]);
    const bool same = std::ranges::all_of(
        metadata, [&](std::uint64_t one) { return static_cast<std::uint32_t>(one) == word; });
    const std::uint32_t nibble = word & 15;
    if (!same || word != nibble * 0x11111111u) {
      c.trap = "a sparse product whose rows keep elements of different places is not modelled";
      return false;
    }
    first_ = nibble & 3;
    second_ = nibble >> 2;
    if (first_ < second_) return true;
    c.trap = fmt::format("sparse metadata 0x{:x} names no two elements in order", word);
    return false;
  }

  /// The column of what stands at `column` of those that are there.
  unsigned place(unsigned column) const {
    if (factor_bits_ == 32) return 2 * column + (first_ >= 2 ? 1 : 0);
    return 4 * (column / 2) + (column % 2 ? second_ : first_);
  }

 private:
  unsigned factor_bits_ = 0, first_ = 0, second_ = 1;
};

}  // namespace gpx::vgpu::exec
