// Disassemble: machine code as text, by the toolkit's nvdisasm or cuobjdump where one is installed.
//
// Looked for in GPX_NVDISASM (the program), PATH, CUDA_HOME/bin, CUDA_PATH/bin and
// /usr/local/cuda/bin. Covered by tests/codegen/disassemble_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lang/diagnostic.h"

namespace gpx::codegen {

/// The program's path; nothing where there is none.
std::optional<std::string> find_disassembler();

/// Errors: no disassembler, it failed, or it took longer than `seconds`.
Result<std::string> disassemble(std::span<const std::uint8_t> cubin, double seconds = 10);

}  // namespace gpx::codegen
