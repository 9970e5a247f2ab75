// The texts of device.cuh and of codegen/compile/names.cuh, compiled in by
// cmake/clang_prelude.cmake.
#pragma once

#include <string_view>

namespace gpx::codegen::clang_text {

extern const std::string_view device, names;

}  // namespace gpx::codegen::clang_text
