// Kernels of a larger text: what parse_kernels() of codegen/ir/kernel.h is made of.
// Covered by tests/codegen/kernel_test.cpp and program_text_test.cpp.
#pragma once

#include "codegen/ir/kernel.h"
#include "codegen/ir/reader.h"

namespace gpx::codegen {

/// One kernel; where the reader has failed, a part of it.
Kernel parse_kernel(IrReader& reader);
/// The same, and what verify() says against it is an error of the reader at its place in `source`.
Kernel parse_verified_kernel(IrReader& reader, const Source& source);
/// All of a text, verified.
Result<std::vector<Kernel>> parse_verified_kernels(const Source& source);

}  // namespace gpx::codegen
