// Cubin: what gpx reads from, and writes into, a compiled kernel's ELF file. Covered by
// tests/codegen/cubin_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gpx::codegen {

/// 32-bit registers that a thread of the cubin's kernel takes; 0 where the file does not say.
std::uint32_t cubin_registers(std::span<const std::uint8_t> cubin);
/// The same of one function: a cubin may have several kernels.
std::uint32_t cubin_registers(std::span<const std::uint8_t> cubin, std::string_view function);

/// The machine instructions of one function; empty where the file has none of that name.
std::span<const std::uint8_t> cubin_code(std::span<const std::uint8_t> cubin,
                                         std::string_view function);

/// Makes a thread of the cubin's kernel take so many registers, at least as many as it uses: a
/// driver reserves what the file says. Returns false where the file does not say.
bool set_cubin_registers(std::span<std::uint8_t> cubin, std::uint32_t registers);

}  // namespace gpx::codegen
