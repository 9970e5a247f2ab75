// A program's machine code for people, and as JSON: each instruction with its address, with what
// the assembler tells the scheduler, and with the line of the source where it is known. Covered by
// tests/cli/sass_command_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/sass/program.h"
#include "runtime/report/style.h"

namespace gpx::report {

struct MachineCode {
  std::string title;  ///< "saxpy.cu for sm_90a"
  codegen::sass::Program program;
  std::vector<std::uint32_t> registers = {};  ///< Of a thread, by function; 0: not known.
  std::string source_file = {}, source = {};  ///< Its lines are shown; empty: numbers alone.
};

std::string to_terminal(const MachineCode& code, const Style& style);
/// {"schema": 1, "sm": 90, "functions": [{"name", "registers", "instructions": [...]}]}.
std::string to_json(const MachineCode& code);
/// A page that needs nothing else: lines of one source line have one colour.
std::string to_html(const MachineCode& code);

}  // namespace gpx::report
