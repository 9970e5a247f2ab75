// The standard library and the experiments as the program carries them: packed by
// cmake/pack_library.cpp when it is built, unpacked at the first use.
// Covered by tests/codegen/files_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::embedded {

/// Sorted; each begins with kEmbedded (files.h).
const std::vector<std::string>& paths();
/// Lives as long as the program.
std::optional<std::string_view> text(std::string_view path);

/// What the build made: the files as (name, 0, size, 0, bytes) one after another, under zstd.
extern const std::string_view kPacked;
extern const std::size_t kUnpackedBytes;

}  // namespace gpx::embedded
