// Disassemble: machine code as text, by the toolkit's nvdisasm or cuobjdump where one is installed.
//
// Looked for in GPX_NVDISASM (the program), PATH, CUDA_HOME/bin, CUDA_PATH/bin and
// /usr/local/cuda/bin. Covered by tests/codegen/disassemble_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

/// The program's path; nothing where there is none.
std::optional<std::string> find_disassembler();

/// Errors: no disassembler, it failed, or it took longer than `seconds`.
Result<std::string> disassemble(std::span<const std::uint8_t> cubin, double seconds = 10);

/// Of several functions at once, by one start of nvdisasm, which takes longer than a listing (0.3 s
/// against 0.02 s). Branches name addresses, as cuobjdump's do. Nothing where the disassembler is
/// another one, or fails.
std::optional<std::vector<std::string>> disassemble_together(
    const std::vector<std::span<const std::uint8_t>>& functions, const Target& target,
    double seconds = 60);

}  // namespace gpx::codegen
