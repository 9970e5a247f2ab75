// Touched, from machine code: which buffers the blocks of a launch may read and write where there
// is no PTX.
//
// Registers are used again for other things, so that what each may hold is followed along the
// branches. A number of 32 bits from memory is no pointer; one of 64 bits may point anywhere.
// Lines are those of the listing. Covered by tests/runtime/cubin_test.cpp.
#pragma once

#include "codegen/sass/kernel_image.h"
#include "runtime/device/vgpu/counts/touched.h"

namespace gpx::vgpu {

Touched touched_by(const codegen::sass::KernelImage& image, const codegen::Launch& launch);

}  // namespace gpx::vgpu
