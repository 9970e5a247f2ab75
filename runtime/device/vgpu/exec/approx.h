// The approximate sine and cosine as the special function unit has them: of an argument in
// revolutions, which PTX makes from radians before. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include "runtime/device/vgpu/exec/decode.h"

namespace gpx::vgpu::exec {

/// d = sin(2 pi a), or cos(2 pi a), of single precision.
Handler revolution_handler(bool cosine);

}  // namespace gpx::vgpu::exec
