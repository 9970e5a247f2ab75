// Random code of single instructions, whose every result is kept: machine code against the PTX that
// it was made from.
#pragma once

#include <string>
#include <vector>

#include "forms.h"
#include "program.h"

namespace gpx::random_kernels {

/// Where the seed is odd the sources come from memory, so that the assembler sees one instruction
/// at a time; where it is even it fuses and folds, also what is not the same for NaNs and for
/// halves. A kernel NAME(in, out, own) as CUDA C++ for blocks of kInstructionThreads threads. A
/// result is one of `results` rows of words of 64 bits in `out`, each with a word for each thread
/// of the grid.
struct Instructions {
  std::string text;
  std::vector<std::string> results;  ///< The form that made each.
};
inline constexpr u32 kInstructionThreads = 64;
Instructions draw_instructions(u64 seed, const std::vector<Form>& forms, const std::string& name);
/// Prepended to the kernels.
const char* instructions_prelude();

}  // namespace gpx::random_kernels
