// The text of device.cuh, compiled in by cmake/clang_prelude.cmake.
#pragma once

#include <string_view>

namespace gpx::codegen::clang_text {

extern const std::string_view device;

}  // namespace gpx::codegen::clang_text
