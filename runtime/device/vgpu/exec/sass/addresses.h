// Addresses in machine code: which registers, uniform registers and offset a word names.
// Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/sass/builder.h"

namespace gpx::vgpu::exec::sass {

/// Of global memory. `flag`: the bit that says that the uniform register is a descriptor;
/// `uniform`: where its number stands.
Input global_address(Builder& b, unsigned flag, unsigned uniform);
/// The same address, of any space.
Input of_generic(const Builder& b, Input address);
Input shared_source(Builder& b, unsigned uniform);
Input local_source(Builder& b, unsigned uniform);

/// The address as the memory operand of Step::inner.
void use_address(Builder& b, Input address);
/// Registers in a row, as a vector of PTX has them.
void list_registers(Builder& b, Op& inner, unsigned first, unsigned count, bool written);

}  // namespace gpx::vgpu::exec::sass
