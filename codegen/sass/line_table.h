// LineTable: which line of the source each machine instruction came from, from a cubin that was
// compiled with -lineinfo (its .debug_line, DWARF 2 to 4). What is damaged gives fewer lines, and
// no error. Covered by tests/codegen/program_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "codegen/sass/elf.h"

namespace gpx::codegen::sass {

/// Holds from byte `address` of the function to the next row's.
struct LineRow {
  std::uint64_t address = 0;
  std::uint32_t line = 0;  ///< From 1; 0: none.
  std::string_view file;  ///< As the compiler was given it, without its folder; of the ELF's bytes.
  std::uint32_t caller = 0;  ///< The row, from 1, that it was inlined at; 0: it was not.
  /// The innermost place in the file of the function itself: where a header was called.
  std::uint32_t own_line = 0;
  std::string_view own_file;
};

class LineTable {
 public:
  explicit LineTable(const Elf& elf);

  /// The row that holds at the address of the function in section `section` of the file; nullptr:
  /// none.
  const LineRow* at(std::uint16_t section, std::uint64_t address) const;
  bool empty() const { return rows_.empty(); }

 private:
  std::map<std::uint16_t, std::vector<LineRow>> rows_;  ///< By section, in order of address.
};

}  // namespace gpx::codegen::sass
