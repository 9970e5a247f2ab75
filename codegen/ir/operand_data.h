// What `data zeros` and `data random` mean in PTX: bits of factors, and where they come from.
// For the expansions of codegen/ir alone; covered by tests/codegen/warpgroup_test.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/assert.h"

namespace gpx::codegen {

/// Of a word of 32 bits of factors, of 64 bits: of the high word. Random bits where `mask` has
/// them, else those of `fixed`: numbers of either sign and of 1/2 to 1, integers of any bits.
struct RandomBits {
  std::string_view factor;
  std::uint32_t mask, fixed;
};
inline constexpr RandomBits kRandomBits[] = {
    {"f16", 0x83ff83ff, 0x38003800},
    {"bf16", 0x807f807f, 0x3f003f00},
    {"tf32", 0x807fe000, 0x3f000000},
    {"e4m3", 0x87878787, 0x30303030},
    {"e5m2", 0x83838383, 0x38383838},
    {"f64", 0x800fffff, 0x3fe00000},
    {"s8", 0xffffffff, 0},
    {"u8", 0xffffffff, 0},
};

inline const RandomBits& random_bits_of(std::string_view factor) {
  for (const RandomBits& row : kRandomBits)
    if (row.factor == factor) return row;
  GPX_ASSERT(false, "no random numbers of this type");
  return kRandomBits[0];
}

/// PTX that makes random bits of `bits`, a number that tells one word from another (a hash of 32
/// bits with two rounds). `scratch` is a register of 32 bits.
inline void add_random(std::vector<std::string>& lines, const std::string& bits,
                       const std::string& scratch, const RandomBits& row) {
  for (const auto& [factor, shift] : {std::pair{0x9e3779b1u, 15}, std::pair{0x85ebca77u, 13}}) {
    lines.push_back(fmt::format("mul.lo.u32 {0}, {0}, {1};", bits, factor));
    lines.push_back(fmt::format("shr.u32 {}, {}, {};", scratch, bits, shift));
    lines.push_back(fmt::format("xor.b32 {0}, {0}, {1};", bits, scratch));
  }
  lines.push_back(fmt::format("and.b32 {0}, {0}, {1};", bits, row.mask));
  lines.push_back(fmt::format("or.b32 {0}, {0}, {1};", bits, row.fixed));
}

}  // namespace gpx::codegen
