// The matrix products of a warp that the op table has: shapes, types, registers of a lane.
//
// PTX ISA 8.5, "Matrix Fragments for mma": D (m x n) = A (m x k) * B (k x n) + C. All shapes and
// types have one layout, which MmaForm's functions say. Covered by tests/vgpu/exec_mma_test.cpp.
#pragma once

#include <optional>

#include "codegen/ptx/module.h"
#include "codegen/ptx/ops.h"

namespace gpx::ptx {

struct MmaForm {
  unsigned m, n, k;
  bool sparse;          ///< Of 4 elements of a row of A (tf32: of 2) half is there.
  unsigned a, b, c;     ///< Registers of a lane; D has as many as C.
  bool wide;            ///< Registers of 64 bits.
  unsigned per_factor;  ///< Elements in a register of A or B.
  unsigned per_sum;     ///< Elements in a register of C or D.

  struct Place {
    unsigned row, column;
  };
  /// Of element `e` of register `r` of a lane. Of B the column is the lane's group; of a sparse A
  /// it is counted among those that are there.
  Place of_a(unsigned lane, unsigned r, unsigned e) const {
    const unsigned down = m == 16 ? r % 2 : 0, right = m == 16 ? r / 2 : r;
    return {lane / 4 + 8 * down, 4 * per_factor * right + per_factor * (lane % 4) + e};
  }
  Place of_b(unsigned lane, unsigned r, unsigned e) const {
    return {4 * per_factor * r + per_factor * (lane % 4) + e, lane / 4};
  }
  Place of_c(unsigned lane, unsigned r, unsigned e) const {
    const unsigned element = r * per_sum + e;
    return {lane / 4 + 8 * (element / 2), 2 * (lane % 4) + element % 2};
  }
};

/// Of an element in a register.
unsigned factor_bits(Type type);
/// `factor`, `sum`: types of A and B, of C and D.
MmaForm form_of(unsigned m, unsigned n, unsigned k, bool sparse, Type factor, Type sum);

/// The form of a mma of these types; nothing where PTX has none.
std::optional<MmaForm> mma_form(const Instruction& instruction);

/// Of ldmatrix and stmatrix: matrices of 8 x 8 elements of 16 bits, 0 of any other instruction.
unsigned matrices_of(OpId id);
bool transposes_matrices(OpId id);

}  // namespace gpx::ptx
