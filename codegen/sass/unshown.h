// UnshownBits: set bits of a machine word that its text does not show.
//
// A bit without a trace in the text may be a modifier that the table lacks. To execute such a word
// as if it had none would give wrong values, so the virtual GPU refuses it. What a bit shows is
// found by clearing it and reading again. Covered by tests/codegen/sass_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "codegen/sass/instruction.h"

namespace gpx::codegen::sass {

class UnshownBits {
 public:
  /// The lowest such bit of a known instruction for sm_90, 72 to 104 or, where no immediate lies,
  /// from 40 on. Predicates that are PT, and bits that the assembler always sets, do not count.
  std::optional<unsigned> find(const Instruction& instruction);

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<unsigned>> known_;
};

}  // namespace gpx::codegen::sass
