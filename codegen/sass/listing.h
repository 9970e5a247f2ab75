// Listing: a function's machine code as text, in the spelling of nvdisasm.
// Covered by tests/codegen/sass_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gpx::codegen::sass {

/// "/*0010*/ IMAD.MOV.U32 R1, RZ, RZ, R2 ;", a line per instruction. `code` is one function of a
/// GPU of compute capability `sm` (90: 9.0). Branch targets are addresses. A word that sass.def
/// lacks prints as "???" and its bits, which no proof accepts.
std::string listing(std::span<const std::uint8_t> code, int sm);

}  // namespace gpx::codegen::sass
