// Which buffers the blocks of a launch may read and which they may write, from its PTX alone:
// that of the entry and of the functions that it may call.
//
// A register may hold a pointer into every buffer that some instruction moves into it; a pointer
// that is loaded from memory may point anywhere. Covered by tests/vgpu/dependence_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/ir/program.h"
#include "codegen/ptx/module.h"

namespace gpx::vgpu {

struct Touched {
  /// A bit for each of Program::buffers, modulo 63; the last bit is of the module's variables.
  using Buffers = std::uint64_t;
  static constexpr unsigned kModule = 63;
  static constexpr Buffers bit(std::size_t buffer) { return Buffers{1} << buffer % kModule; }

  Buffers read = 0, written = 0;
  /// Blocks may pass each other values by these alone: what a block can read of another one.
  Buffers both() const { return read & written; }

  /// The PTX line of an instruction by which blocks pass each other values whatever else they do:
  /// an atomic whose result is used, a volatile or ordered load of what the launch may write. 0:
  /// none.
  int communicates = 0;

  struct Load {
    int line;
    Buffers from;
    bool ordered;  ///< Volatile, or of the scope of the GPU.
  };
  std::vector<Load> loads;
  /// By PTX line: the result of the atomic is used.
  std::vector<bool> result_used;
};

Touched touched_by(const ptx::Module& module, const ptx::Function& entry,
                   const codegen::Launch& launch);

}  // namespace gpx::vgpu
