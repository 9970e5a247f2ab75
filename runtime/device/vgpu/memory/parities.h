// Parities: a number each of whose bits is the parity of some bits of another one. What each byte
// does is in a table: caches and slices are asked for at every access. Covered by
// tests/vgpu/cache_test.cpp and floorplan_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace gpx::vgpu::timing {

class Parities {
 public:
  Parities() = default;
  /// `masks`: by bit of the result. Bytes beyond their highest bit do nothing.
  explicit Parities(const std::vector<std::uint64_t>& masks) {
    std::uint64_t used = 0;
    for (const std::uint64_t mask : masks) used |= mask;
    bytes_.resize(masks.empty() ? 0 : std::max<std::size_t>(1, (std::bit_width(used) + 7) / 8));
    for (unsigned byte = 0; byte < bytes_.size(); ++byte)
      for (unsigned value = 1; value < 256; ++value) {
        const unsigned lowest = static_cast<unsigned>(std::countr_zero(value));
        const unsigned others = value & (value - 1);
        bytes_[byte][value] = others != 0 ? bytes_[byte][others] ^ bytes_[byte][value ^ others]
                                          : moved_by(masks, 8 * byte + lowest);
      }
  }

  /// Of no masks.
  bool empty() const { return bytes_.empty(); }

  std::uint64_t operator()(std::uint64_t number) const {
    std::uint64_t result = 0;
    for (const auto& byte : bytes_) {
      result ^= byte[number & 255];
      number >>= 8;
    }
    return result;
  }

 private:
  static std::uint64_t moved_by(const std::vector<std::uint64_t>& masks, unsigned bit) {
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < masks.size(); ++i) moved |= (masks[i] >> bit & 1) << i;
    return moved;
  }

  std::vector<std::array<std::uint64_t, 256>> bytes_;  // by byte of the number, its value
};

}  // namespace gpx::vgpu::timing
