// A cubin as a user's file of kernels: machine code alone, without source and PTX.
//
// What its kernels take is written as PTX of empty entries, for all that reads declarations: sizes
// and places are the cubin's own, types those of mangled names. A parameter of another kernel has
// the size alone; it is given as a struct, or as a buffer where it has 8 bytes.
// Covered by tests/runtime/cubin_test.cpp.
#pragma once

#include <string_view>

#include "codegen/user/user_kernel.h"

namespace gpx::codegen {

/// The file's name ends in ".cubin".
bool is_cubin_name(std::string_view name);

constexpr std::uintmax_t kMostCubinBytes = std::uintmax_t{1} << 30;

/// `file`: the cubin's bytes as its text. Errors (Fault::input): no cubin, a truncated one, one
/// without kernels, machine code that the target does not execute; `options` that only a compiler
/// can follow.
Result<CompiledFile> read_cubin_file(const Source& file, const Target& target,
                                     const FileOptions& options);

}  // namespace gpx::codegen
