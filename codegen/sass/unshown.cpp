// Unshown bits. Interface: unshown.h.
#include "codegen/sass/unshown.h"

#include <bit>
#include <initializer_list>

namespace gpx::codegen::sass {
namespace {

constexpr int kSm = 90;
constexpr std::uint64_t kAddress = 0x1000;
constexpr unsigned kFirstModifier = 72, kEndModifier = 105;  ///< The scheduler's bits follow.

constexpr std::uint64_t upper_bits(std::initializer_list<unsigned> bits) {
  std::uint64_t made = 0;
  for (const unsigned bit : bits) made |= 1ull << (bit - 64);
  return made;
}

/// What the assembler sets in these operations without a meaning of its own: constant bits, types
/// of results that are those of the source, descriptors.
struct Constant {
  unsigned operation;
  std::uint64_t upper;
};
constexpr Constant kConstants[] = {
    {0x03d, upper_bits({78, 80})},          // BMMA
    {0x03e, upper_bits({74, 76, 78, 90})},  // F2FP
    {0x045, upper_bits({76, 85})},          // I2FP
    {0x107, upper_bits({75, 76, 77})},      // FRND
    {0x113, upper_bits({75, 76})},          // FRND of a double
    {0x11c, upper_bits({78})},              // B2R
    {0x15c, upper_bits({84, 85})},          // BPT
    {0x180, upper_bits({90})},              // LD
    {0x181, upper_bits({90})},              // LDG
    {0x185, upper_bits({90})},              // ST
    {0x186, upper_bits({90})},              // STG
    {0x18c, upper_bits({87, 88, 90})},      // ATOMS.POPC.INC
    {0x18e, upper_bits({90})},              // REDG
    {0x18f, upper_bits({72})},              // CCTL
    {0x1a6, upper_bits({90})},              // REDG of floating point
    {0x1b0, upper_bits({73, 75})},          // ARRIVES.LDGSTSBAR
    {0x1b2, upper_bits({72})},              // SYNCS.EXCH
};

/// Without predicates that are absent: all three bits of PT, with its negation behind them. Bit 91
/// chooses uniform registers, which the form does, too.
std::uint64_t without_fillers(std::uint64_t upper, unsigned operation) {
  for (const unsigned slot : {77u, 81u, 84u, 87u}) {
    const std::uint64_t all = 7ull << (slot - 64);
    const bool has_negation = slot == 77 || slot == 87;
    if ((upper & all) == all) upper &= ~(all | (has_negation ? 8ull << (slot - 64) : 0));
  }
  upper &= ~upper_bits({91});
  for (const Constant& each : kConstants)
    if (each.operation == operation) upper &= ~each.upper;
  return upper;
}

std::uint64_t bit_of(unsigned bit) {
  return 1ull << (bit % 64);
}

Word without(Word word, unsigned bit) {
  (bit < 64 ? word.lo : word.hi) &= ~bit_of(bit);
  return word;
}

/// Registers only: bits 40 to 63 are no immediate's, no constant's and no target's.
bool has_free_middle(const Word& word) {
  return word.form() == 1 || word.form() == 6 || word.form() == 7;
}

std::optional<unsigned> lowest_unshown(const Instruction& instruction) {
  const Word& word = instruction.word;
  const std::string text = instruction.text();
  const auto unshown = [&](unsigned bit) {
    return decode(without(word, bit), kSm, kAddress).text() == text;
  };
  if (has_free_middle(word))
    for (unsigned bit = 40; bit < 64; ++bit)
      if ((word.lo & bit_of(bit)) != 0 && unshown(bit)) return bit;
  std::uint64_t upper = 0;
  for (unsigned bit = kFirstModifier; bit < kEndModifier; ++bit)
    if ((word.hi & bit_of(bit)) != 0 && unshown(bit)) upper |= bit_of(bit);
  upper = without_fillers(upper, word.operation());
  if (upper == 0) return std::nullopt;
  return 64 + static_cast<unsigned>(std::countr_zero(upper));
}

}  // namespace

std::optional<unsigned> UnshownBits::find(const Instruction& instruction) {
  const Word& word = instruction.word;
  const std::uint64_t middle = has_free_middle(word) ? word.lo >> 40 << 40 : 0;
  const std::uint64_t modifiers =
      word.hi & ((1ull << (kEndModifier - 64)) - (1ull << (kFirstModifier - 64)));
  const auto [found, added] =
      known_.try_emplace({(word.lo & 0xfff) | middle, modifiers}, std::nullopt);
  // Branches show how far they go from there.
  if (added) found->second = lowest_unshown(decode(word, kSm, kAddress));
  return found->second;
}

}  // namespace gpx::codegen::sass
