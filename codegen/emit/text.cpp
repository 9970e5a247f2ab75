// An asm statement under construction. Interface: codegen/emit/text.h.
#include "codegen/emit/text.h"

#include <algorithm>

#include "lang/lists.h"

namespace gpx::codegen {
namespace {

// Inputs are numbered after the last output, which is not known before the text is complete.
constexpr char kOutput = '\1', kInput = '\2';

}  // namespace

std::string AsmBlock::output(std::string_view constraint, std::string_view expression) {
  outputs_.push_back({std::string(constraint), std::string(expression)});
  return fmt::format("{}{};", kOutput, outputs_.size() - 1);
}

std::string AsmBlock::input(std::string_view constraint, std::string_view expression) {
  inputs_.push_back({std::string(constraint), std::string(expression)});
  return fmt::format("{}{};", kInput, inputs_.size() - 1);
}

void AsmBlock::declare(std::string_view type, const std::vector<std::string>& names) {
  constexpr std::size_t kOnALine = 12;
  for (std::size_t i = 0; i < names.size(); i += kOnALine) {
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last =
        names.begin() + static_cast<std::ptrdiff_t>(std::min(i + kOnALine, names.size()));
    line(".reg .{} {};", type, fmt::join(first, last, ", "));
  }
}

std::string AsmBlock::list(const std::vector<Operand>& operands) {
  return joined(operands, ", ", [](const Operand& operand) {
    return fmt::format("\"{}\"({})", operand.constraint, operand.expression);
  });
}

std::string AsmBlock::text() const {
  std::string made = "  asm volatile(\n      \"{\\n\"\n";
  for (const std::string& row : lines_) {
    made += "      \"";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != kOutput && row[i] != kInput) {
        if (row[i] == '%') made += '%';
        if (row[i] == '"') made += '\\';
        made += row[i];
        continue;
      }
      const std::size_t end = row.find(';', i);
      const std::size_t number = std::stoul(row.substr(i + 1, end - i - 1));
      made += fmt::format("%{}", number + (row[i] == kInput ? outputs_.size() : 0));
      i = end;
    }
    made += "\\n\"\n";
  }
  made += fmt::format("      \"}}\\n\"\n      : {}\n      : {}\n      : \"memory\");\n",
                      list(outputs_), list(inputs_));
  return made;
}

}  // namespace gpx::codegen
