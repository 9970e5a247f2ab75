// Programs. Interface: codegen/sass/program.h.
#include "codegen/sass/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/sass/elf.h"
#include "codegen/sass/line_table.h"

namespace gpx::codegen::sass {
namespace {

constexpr std::string_view kText = ".text.";
constexpr int kFirst = 70;  // Volta: before that a word has 64 bits.

Function function_of(const ElfSection& section, std::uint16_t index, int sm,
                     const LineTable& lines) {
  Function function;
  function.name = section.name.substr(kText.size());
  std::uint64_t address = 0;
  for (Instruction& instruction : decode_function(section.bytes, sm)) {
    Statement statement{address, std::move(instruction), 0, {}, 0, {}};
    if (const LineRow* row = lines.at(index, address)) {
      statement.line = row->line;
      statement.file = row->file;
      statement.own_line = row->own_line;
      statement.own_file = row->own_file;
    }
    if (!statement.instruction.known) ++function.unknown;
    function.statements.push_back(std::move(statement));
    address += kWordBytes;
  }
  return function;
}

bool is_named(std::string_view symbol, std::string_view entry) {
  if (symbol == entry) return true;
  const std::string mangled = fmt::format("_Z{}{}", entry.size(), entry);
  return symbol.starts_with(mangled);
}

/// For a message: the first ones.
std::string names_of(const Elf& elf) {
  constexpr std::size_t kMost = 8;
  std::size_t count = 0;
  std::string names;
  for (const ElfSection& section : elf.sections())
    if (section.name.starts_with(kText) && ++count <= kMost)
      names += (names.empty() ? "" : ", ") + std::string(section.name.substr(kText.size()));
  return count > kMost ? fmt::format("{} and {} more", names, count - kMost) : names;
}

}  // namespace

Result<Program> read_program(std::span<const std::uint8_t> cubin, std::string_view name,
                             std::string_view entry) {
  const auto elf = Elf::read(cubin, name);
  if (!elf) return tl::unexpected(elf.error());
  const std::string names = names_of(*elf);
  if (names.empty()) return fail(Fault::input, fmt::format("'{}' holds no machine code", name));
  if (elf->sm() < kFirst)
    return fail(Fault::input, fmt::format("'{}' is machine code of sm_{}", name, elf->sm()),
                fmt::format("gpx reads that of sm_{} and later", kFirst));
  Program program{elf->sm(), {}};
  const LineTable lines(*elf);
  for (std::size_t i = 0; i < elf->sections().size(); ++i) {
    const ElfSection& section = elf->sections()[i];
    if (!section.name.starts_with(kText)) continue;
    if (!entry.empty() && !is_named(section.name.substr(kText.size()), entry)) continue;
    if (section.truncated)
      return fail(Fault::input, fmt::format("'{}' is truncated: it ends before the code of {}",
                                            name, section.name.substr(kText.size())));
    program.functions.push_back(
        function_of(section, static_cast<std::uint16_t>(i), program.sm, lines));
  }
  if (program.functions.empty())
    return fail(Fault::input, fmt::format("'{}' has no kernel {}", name, entry), "it has " + names);
  return program;
}

std::string control_text(const Control& control) {
  const auto board = [](char letter, unsigned number) {
    return number == 7 ? fmt::format("{}-", letter) : fmt::format("{}{}", letter, number);
  };
  std::string waits, reuse;
  for (unsigned i = 0; i < 6; ++i)
    waits += (control.waits >> i & 1) != 0 ? static_cast<char>('0' + i) : '-';
  for (unsigned i = 0; i < 3; ++i)
    reuse += (control.reuse >> i & 1) != 0 ? static_cast<char>('A' + i) : '-';
  return fmt::format("{:>2} {} {} {} {} {}", control.stall, control.yield ? 'Y' : '-',
                     board('W', control.writes), board('R', control.reads), waits, reuse);
}

}  // namespace gpx::codegen::sass
