// Any bytes as machine words, behind a first byte that chooses the architecture: what gpx reads of
// each, and of each with one bit changed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "codegen/sass/instruction.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

using namespace codegen::sass;

constexpr std::array kArchitectures = {75, 80, 86, 89, 90, 100, 120};

std::string check_word(std::span<const std::uint8_t> bytes, int sm) {
  const auto read = decode_function(bytes, sm);
  if (read.size() != 1) return "a word is not one instruction";
  const Instruction& instruction = read.front();
  if (instruction.text().empty()) return "an instruction without a text";
  if (instruction.known && instruction.unit.empty()) return "an instruction without a unit";
  for (const Operand& operand : instruction.operands)
    if (operand.text.empty()) return "an operand without a text: " + instruction.text();
  taken |= instruction.known;
  return "";
}

}  // namespace

std::string sass(const std::string& input) {
  if (input.empty()) return "";
  const int sm = kArchitectures[static_cast<std::uint8_t>(input[0]) % kArchitectures.size()];
  std::array<std::uint8_t, kWordBytes> word{};
  for (std::size_t at = 1; at + word.size() <= input.size(); at += word.size()) {
    std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(at), word.size(), word.begin());
    std::string wrong = check_word(word, sm);
    for (std::size_t bit = 0; wrong.empty() && bit < 8 * word.size(); ++bit) {
      word[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      wrong = check_word(word, sm);
      word[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace gpx::fuzz
