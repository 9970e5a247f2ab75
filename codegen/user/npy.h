// NumPy's .npy files: what one holds, and a buffer as one.
// Covered by tests/codegen/npy_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/ir/program.h"

namespace gpx::codegen {

/// Where the numbers begin in the text of a .npy file, of which the header is enough (formats 1.0,
/// 2.0 and 3.0). They must be of the element's type and lie in C order. Error: what is wrong.
tl::expected<std::size_t, std::string> npy_data(const std::string& text, Element element);

/// The header of a one-dimensional array; its numbers follow as they are. Error: NumPy has no such
/// type.
tl::expected<std::string, std::string> npy_header(Element element, bool is_signed,
                                                  std::uint64_t count);

}  // namespace gpx::codegen
