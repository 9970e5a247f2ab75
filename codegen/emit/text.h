// An asm statement under construction. Covered by tests/codegen/emit_test.cpp.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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
  /// An instruction, or a label with its colon.
  void put(const std::string& text) { lines_.push_back(text.ends_with(':') ? text : "  " + text); }
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

}  // namespace gpx::codegen
