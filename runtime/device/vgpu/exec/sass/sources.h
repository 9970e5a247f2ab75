// What own handlers read: sources with their signs, predicates with their negation.
// Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec::sass {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// What a handler reads of one source.
struct Reads {
  const Lanes& row;
  u32 flip, plus;
  Reads(Context& c, const Word32& word) : row(c.in(word.row)), flip(word.flip), plus(word.plus) {}
  u32 operator()(unsigned i) const { return (static_cast<u32>(row[i]) ^ flip) + plus; }
  /// Without the wrap: an opposite is the complement and one.
  u64 wide(unsigned i) const { return u64{static_cast<u32>(row[i]) ^ flip} + plus; }
};
struct Holds {
  const Lanes& row;
  u64 flip;
  Holds(Context& c, const Truth& truth) : row(c.in(truth.row)), flip(truth.negated ? 1 : 0) {}
  u64 operator()(unsigned i) const { return (row[i] ^ flip) & 1; }
};

}  // namespace gpx::vgpu::exec::sass
