// What a compiler's debug information says of the kernels of a file: their parameters' names and
// types after preprocessing, and what the structs among them hold.
//
// Covered by tests/codegen/host_code_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace gpx::codegen {

/// The entries of a PTX that was compiled with debug information, as C++ that entries_of()
/// (codegen/user/user_kernel.h) reads: `struct P { int n; float* out; };` and
/// `__global__ void SYMBOL(float* x, P p);`, a line each. Names for types are replaced by the
/// types. Empty where the PTX has no debug information that can be read.
std::string declarations_of(std::string_view ptx);

}  // namespace gpx::codegen
