// The instructions of PTX that random code is made of: patterns, expanded to forms.
#pragma once

#include <string>
#include <vector>

namespace gpx::random_kernels {

/// One form: how inline assembly writes it, and its operands.
struct Form {
  std::string text;  ///< "add.sat.s32", or a whole body with %0, %1, ...
  /// Operands, the result first: a class (h, r, l, f, d: 16, 32, 64 bits, single, double), the
  /// number of registers of a vector behind it; p, a predicate; i8, a number below 8; A and G, the
  /// thread's own 16 bytes of shared and of global memory.
  std::vector<std::string> operands;
  int least_sm = 75;
  bool together = false;  ///< All lanes of the block execute it.
  bool memory() const;
};

/// All forms that a GPU of that compute capability has.
std::vector<Form> forms_for(int sm);

}  // namespace gpx::random_kernels
