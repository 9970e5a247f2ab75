// A matrix product of a warp, by the registers that hold it: what mma and wmma share.
// Covered by tests/vgpu/exec_mma_test.cpp and tests/vgpu/exec_headers_test.cpp.
#pragma once

#include "codegen/ptx/mma.h"
#include "runtime/device/vgpu/exec/context.h"

namespace gpx::vgpu::exec {

/// Registers of the frame, as many of each as the form says; sources may be constants (Op::a).
struct ProductRegisters {
  const std::int32_t *d, *a, *b, *c;
};

struct Product {
  ptx::MmaForm form;
  ProductRegisters registers;
  ptx::Type sum, a, b, addend;
};

/// D = A * B + C. The whole warp is here.
void multiply(Context& c, const Op& op, const Product& product);

}  // namespace gpx::vgpu::exec
