// Three texts beside each other. Interface: side_by_side.h.
#include "runtime/cli/explain/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/ir/inline_ptx.h"
#include "codegen/ir/region.h"
#include "codegen/proof/timed_region_body.h"
#include "lang/words.h"

namespace gpx::cli {
namespace {

using codegen::Instruction;
using TextColumn = std::vector<std::string>;

constexpr std::size_t kExecutions = 3;  // Shown of each statement.
constexpr std::size_t kMachineLines = 16;

/// The first lines, and how many more there are.
void shorten(std::vector<std::string>& lines, std::size_t most) {
  if (lines.size() <= most) return;
  std::string more = fmt::format("... {} more", lines.size() - most);
  lines.resize(most);
  lines.push_back(std::move(more));
}

TextColumn parts_of(std::string_view text, char separator) {
  TextColumn parts;
  while (!text.empty())
    if (const auto part = codegen::trimmed(take_until(text, separator)); !part.empty())
      parts.emplace_back(part);
  return parts;
}

std::string options_of(const Instruction& operate) {
  const std::string through = operate.source ? fmt::format(" {}", operate.source) : "";
  return operate.streams == 1 ? fmt::format("x{} chain{}", operate.count, through)
                              : fmt::format("x{} streams {}", operate.count, operate.streams);
}

/// What stands between the two reads of the clock and names a register of the operation.
TextColumn executions_of(std::string_view ptx, std::size_t operation, std::size_t most) {
  const std::string prefix = fmt::format("op{}_", operation);
  TextColumn found;
  bool timed = false;
  for (const std::string& line : parts_of(ptx, '\n')) {
    if (line.find("%clock64") != line.npos) timed = !timed;
    if (timed && line.find(prefix) != line.npos) found.push_back(line);
  }
  shorten(found, most);
  return found;
}

TextColumn machine_lines(const codegen::Kernel& kernel, std::string_view sass) {
  if (sass.empty()) return {};
  TextColumn lines = parts_of(codegen::check_sass(kernel, sass).listing, '\n');
  shorten(lines, kMachineLines);
  return lines;
}

void append(std::vector<std::string>& out, const std::array<TextColumn, 3>& columns) {
  std::array<std::size_t, 3> widths{};
  std::size_t rows = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    rows = std::max(rows, columns[i].size());
    for (const std::string& cell : columns[i]) widths[i] = std::max(widths[i], cell.size());
  }
  const auto cell = [&](std::size_t column, std::size_t row) {
    return row < columns[column].size() ? columns[column][row] : std::string();
  };
  for (std::size_t row = 0; row < rows; ++row)
    out.push_back(fmt::format("{:<{}} | {:<{}} | {}", cell(0, row), widths[0], cell(1, row),
                              widths[1], cell(2, row)));
}

}  // namespace

bool has_inline_ptx(const codegen::Kernel& kernel) {
  const auto all = codegen::all_of(kernel, codegen::Op::operate);
  return std::any_of(all.begin(), all.end(),
                     [](const Instruction* each) { return codegen::is_inline_ptx(each->name); });
}

std::vector<std::string> side_by_side(const codegen::Kernel& kernel, std::string_view ptx,
                                      std::string_view sass) {
  std::vector<std::string> lines;
  const auto all = codegen::all_of(kernel, codegen::Op::operate);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!codegen::is_inline_ptx(all[i]->name)) continue;
    TextColumn source = parts_of(all[i]->name, ';');
    const std::size_t each = source.size();
    for (std::string& instruction : source) instruction += ";";
    source.insert(source.begin(), "statement");
    source.push_back(options_of(*all[i]));
    TextColumn executed = executions_of(ptx, i, kExecutions * each);
    executed.insert(executed.begin(), "PTX");
    TextColumn machine = machine_lines(kernel, sass);
    machine.insert(machine.begin(), machine.empty() ? "no machine code" : "machine code");
    append(lines, {std::move(source), std::move(executed), std::move(machine)});
  }
  return lines;
}

}  // namespace gpx::cli
