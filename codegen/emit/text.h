// What the parts of the emitter share: an asm statement under construction, and how a kernel's
// registers are spelled in it. Covered by tests/codegen/emit_test.cpp.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.h"

namespace gpx::codegen {

/// One `asm volatile` statement: declarations, instructions, operands. Lines are PTX with "%"
/// written once; output() and input() return a mark to write in them where the operand is meant.
class AsmBlock {
 public:
  /// "=&l"(start): spelled as the returned text in lines. All outputs come before all inputs.
  std::string output(std::string_view constraint, std::string_view expression);
  std::string input(std::string_view constraint, std::string_view expression);

  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    lines_.push_back("  " + fmt::format(text, std::forward<Args>(args)...));
  }
  void label(std::string_view name) { lines_.push_back(fmt::format("{}:", name)); }
  /// Registers of one type, declared a dozen on a line: ".reg .u32 v0, v1;"
  void declare(std::string_view type, const std::vector<std::string>& names);
  std::uint32_t next_label() { return labels_++; }

  /// `  asm volatile(...);\n`
  std::string text() const;

 private:
  struct Operand {
    std::string constraint, expression;
  };
  static std::string list(const std::vector<Operand>& operands);

  std::vector<std::string> lines_;
  std::vector<Operand> outputs_, inputs_;
  std::uint32_t labels_ = 0;
};

/// The text of an op of the table, with {0}, {1}, {r}, {i}, {c}, {n} replaced.
template <typename Spell>
std::string spell(const Instruction& instruction, Spell&& operand) {
  std::string made;
  const std::string_view spelling = info(instruction.op).spelling;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '{' || i + 2 >= spelling.size() || spelling[i + 2] != '}') {
      made += spelling[i];
      continue;
    }
    const char what = spelling[i + 1];
    if (what == 'r') made += operand(instruction.result);
    if (what == 'i') made += std::to_string(instruction.immediate);
    if (what == 'c') made += cache_suffix(instruction.cache);
    if (what == 'n') made += instruction.name;
    if (what >= '0' && what <= '9')
      made += operand(instruction.operands[static_cast<std::size_t>(what - '0')]);
    i += 2;
  }
  return made;
}

/// A kernel chases its own copy of an array in these spaces; the copy's links are addresses.
constexpr bool has_own_copy(Space space) {
  return space == Space::shared || space == Space::local;
}

/// The shared variables of a kernel, words of 32 bits in the order of the setup.
struct SharedWords {
  explicit SharedWords(const Kernel& kernel);
  std::uint32_t offset(std::string_view name) const;  ///< Bytes from `words`.
  std::vector<const Instruction*> words;              ///< Op::shared of the setup, in order.
};

}  // namespace gpx::codegen
