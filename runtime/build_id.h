// Build id: which sources and standard library a program was built from. Two builds of one version
// have different ones. Covered by tests/cli/commands_test.cpp.
#pragma once

#include <string_view>

namespace gpx {

/// Twelve hexadecimal digits of a hash, made by cmake/build_id.cmake.
std::string_view build_id();

}  // namespace gpx
