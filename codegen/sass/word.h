// Word: one machine instruction of NVIDIA GPUs from Volta on, and its fields that no opcode
// changes. An instruction is 128 bits, little endian. Bits 0 to 11 hold the opcode, of which 9 to
// 11 choose the operands' form; 12 to 15 the guard; 105 to 125 what the scheduler reads. Covered by
// tests/codegen/sass_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace gpx::codegen::sass {

inline constexpr std::size_t kWordBytes = 16;

/// What the assembler tells the scheduler about one instruction.
struct Control {
  std::uint8_t stall = 0;   ///< Clocks until the warp's next instruction may issue.
  bool yield = false;       ///< The scheduler prefers another warp after this one.
  std::uint8_t writes = 7;  ///< Scoreboard that the result releases; 7: none.
  std::uint8_t reads = 7;   ///< Scoreboard that reading the sources releases; 7: none.
  std::uint8_t waits = 0;   ///< Bit per scoreboard that must be clear before issue.
  std::uint8_t reuse = 0;   ///< Bit per operand slot (A, B, C) kept in the operand cache.
  bool operator==(const Control&) const = default;
};

struct Word {
  std::uint64_t lo = 0, hi = 0;

  /// Bits [position, position + width), width at most 64.
  constexpr std::uint64_t bits(unsigned position, unsigned width) const {
    std::uint64_t value = 0;
    if (position >= 64)
      value = hi >> (position - 64);
    else
      value = position == 0 ? lo : lo >> position | hi << (64 - position);
    return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
  }
  constexpr bool bit(unsigned position) const { return bits(position, 1) != 0; }
  constexpr std::int64_t signed_bits(unsigned position, unsigned width) const {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return static_cast<std::int64_t>((bits(position, width) ^ sign) - sign);
  }
  /// The operation without its form.
  constexpr unsigned operation() const { return static_cast<unsigned>(bits(0, 9)); }
  constexpr unsigned form() const { return static_cast<unsigned>(bits(9, 3)); }

  constexpr Control control() const {
    // The yield bit is stored inverted: 0 asks the scheduler to switch.
    return {static_cast<std::uint8_t>(bits(105, 4)), !bit(109),
            static_cast<std::uint8_t>(bits(110, 3)), static_cast<std::uint8_t>(bits(113, 3)),
            static_cast<std::uint8_t>(bits(116, 6)), static_cast<std::uint8_t>(bits(122, 3))};
  }
  bool operator==(const Word&) const = default;
};

/// The word at byte `offset` of a function's code, which must hold it whole.
inline Word word_at(std::span<const std::uint8_t> code, std::size_t offset) {
  Word word;
  std::memcpy(&word.lo, code.data() + offset, 8);
  std::memcpy(&word.hi, code.data() + offset + 8, 8);
  return word;
}

}  // namespace gpx::codegen::sass
