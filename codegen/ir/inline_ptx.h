// The text of a `ptx` statement: one PTX instruction or several, with named operands.
//
//   mul.f32 %t, %a, %b; add.f32 %d, %t, %c
//
// %d is what the last instruction gives, %t was written before it is read, the others are sources
// whose values no compiler knows. A chain runs from %d to one source of its type. What may stand
// here is what the one table of PTX (codegen/ptx/ops.def) knows and what works in registers alone.
// Covered by tests/codegen/inline_ptx_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lang/diagnostic.h"

namespace gpx::codegen {

/// What is wrong, and where in the text.
struct InlineMistake {
  std::uint32_t begin = 0, end = 0;
  std::string message, hint = {};
};

/// As a row of lang/operations.def has them; in `ptx` "{%b f32}" is a source of the type, "{!t
/// f32}" a register that the text itself writes.
struct InlinePtx {
  std::string type, ptx;
  bool folds = false;  ///< All of it: a final assembler makes no instruction of it.
};

/// `source`: the letter that the chain runs through; 0: the first that it can.
tl::expected<InlinePtx, InlineMistake> read_inline_ptx(std::string_view text, char source);

/// The name of an operation that is the text of a `ptx` statement.
bool is_inline_ptx(std::string_view name);

}  // namespace gpx::codegen
