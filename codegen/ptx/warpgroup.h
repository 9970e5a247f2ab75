// The matrix products of a warpgroup: what wgmma.mma_async's operands are, and where a warp's part
// of them lies.
//
// PTX ISA 8.5, "Asynchronous wgmma": D (64 x N) = A (64 x K) * B (K x N) + D, of four warps. Warp w
// has rows 16w to 16w + 15, in registers as of mma.m16n8: a group of 8 columns after another.
// Covered by tests/vgpu/exec_warpgroup_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/ptx/module.h"

namespace gpx::ptx {

struct WarpgroupForm {
  unsigned n = 0, k = 0;      ///< K of the product; of a sparse one A has half of it.
  bool sparse = false;        ///< Of 4 elements of a row of A (tf32: of 2) half is there.
  unsigned sums = 0;          ///< Registers of a thread for D.
  unsigned sum_bits = 32;     ///< Of an element of D.
  unsigned factor_bits = 16;  ///< Of an element of A or B.
  static constexpr unsigned kFactors = 4;  ///< Registers of A.

  bool scales = true;       ///< Floats: A and B may be negated.
  bool transposes = false;  ///< 16-bit floats: either layout of a tile.
  unsigned a_columns() const { return sparse ? k / 2 : k; }
};

/// Nothing where PTX has no product of these types.
std::optional<WarpgroupForm> warpgroup_form(const Instruction& instruction);

/// Where the operands stand in Instruction::operands.
struct WarpgroupOperands {
  static constexpr unsigned kD = 0, kA = 1, kB = 2, kKept = 3, kSelector = 4, kScale = 5,
                            kNegateA = 6, kNegateB = 7, kTransposeA = 8, kTransposeB = 9,
                            kCount = 10;
};

}  // namespace gpx::ptx
