// What buffers of kernels from files hold: BufferFill::write of codegen/ir/program.h, the files and
// the random cycle that it needs. Covered by tests/codegen/contents_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "lang/diagnostic.h"

namespace gpx::codegen {

constexpr std::uint64_t kMostFileBytes = std::uint64_t{64} << 20;  ///< Of a buffer's file.

/// The first `bytes` bytes of what a file holds, as words. A .npy file's numbers must be of the
/// element's type, and stand in C order; of any other file its bytes are taken as they are.
/// `error`: what is wrong, such as fewer bytes than are asked for, or more where they are refused.
enum class Extra { taken, refused };
tl::expected<std::vector<std::uint64_t>, std::string> file_words(const std::string& path,
                                                                 std::uint64_t bytes,
                                                                 Element element,
                                                                 Extra extra = Extra::taken);

/// The element behind `i` on a cycle through all `count` elements, fixed by `seed`. Neighbours on
/// the cycle lie anywhere. `count` is at least 1.
std::uint64_t next_on_cycle(std::uint64_t i, std::uint64_t count, std::uint64_t seed);

}  // namespace gpx::codegen
