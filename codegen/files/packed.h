// Bytes compressed by zstd, each packing with a checksum.
// Covered by tests/codegen/packed_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpx {

constexpr int kQuickPacking = 3;   ///< While something is measured.
constexpr int kSmallPacking = 19;  ///< For a file that stays.

std::vector<std::uint8_t> pack(std::span<const std::uint8_t> bytes, int level = kQuickPacking);
std::vector<std::uint8_t> pack(const std::string& text, int level = kQuickPacking);

/// Nothing where these are no packed bytes, or unpack to more than `most`.
std::optional<std::vector<std::uint8_t>> unpack(std::span<const std::uint8_t> packed,
                                                std::uint64_t most);
/// The text, unpacked where it begins as packed bytes do. Nothing where it cannot be unpacked.
std::optional<std::string> unpacked_text(std::string text, std::uint64_t most);

}  // namespace gpx
