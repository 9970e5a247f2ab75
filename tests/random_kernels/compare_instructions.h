// Random code of single instructions, executed as PTX and as machine code.
#pragma once

#include <string>
#include <vector>

#include "codegen/compile/nvrtc.h"
#include "program.h"

namespace gpx::random_kernels {

struct InstructionRange {
  u64 first = 1, kernels = 40;
  int sm = 90;
  std::string keep;  ///< A folder for the text and the listing of what differs; empty: none.
};
/// Prints what differs and what is not executed. False: something is, or the compiler refused it.
bool compare_instructions(const codegen::Nvrtc& nvrtc, const std::vector<std::string>& options,
                          const InstructionRange& range);

}  // namespace gpx::random_kernels
