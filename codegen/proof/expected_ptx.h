// The PTX that a kernel asks for: what its timed region must be, derived from the kernel IR and the
// tables of operations (codegen/ir/ops.def, lang/operations.def), and from nothing that the emitter
// made. Covered by tests/codegen/proof_mutation_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// What all registers of a statement stand for is told by the first letters of their names:
///   $name     an input of the inline assembly, never written
///   out.name  an output
///   name      declared within
struct ExpectedPtx {
  /// Statements that a chain of dependent executions runs through.
  struct Chain {
    const Instruction* instruction;  ///< operate or a chase.
    std::uint32_t begin, end;        ///< Of the statements.
  };
  std::string text;  ///< One statement a line; registers are not declared.
  std::uint32_t statements = 0;
  std::uint32_t begin = 0,
                end = 0;  ///< Of the timed ones; the barrier of the end clock is not one.
  std::vector<Chain> chains;
};

ExpectedPtx expected_ptx(const Kernel& kernel);

}  // namespace gpx::codegen
