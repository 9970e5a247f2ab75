// Marked listing: the texts of a kernel's stages line by line, with what is timed, and with the
// line of the experiment or of the kernel's file that each comes from. Covered by
// tests/cli/explain_command_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.h"
#include "codegen/sass/program.h"
#include "lang/source.h"

namespace gpx::cli {

struct Line {
  std::string text;
  bool timed = false;
  std::uint32_t origin = 0;  ///< A line of the experiment or of the kernel's file; 0: not known.
  std::string control = {};  ///< Of machine code: codegen::sass::control_text().
};
using Listing = std::vector<Line>;

Listing lines_of(const std::string& text);
/// What is timed stands between the first and the last line that hold `edge`.
Listing marked(const std::string& text, std::string_view edge);
Listing source_lines(const Source& source, Span span);
Listing kernel_lines(const codegen::Kernel& kernel);
/// Instructions and labels of a disassembler's text alone.
Listing sass_lines(const std::string& sass);
/// The same of a cubin's function, with control bits, and origins if it was compiled from a file.
Listing sass_lines(const codegen::sass::Function& function);

/// Origins of CUDA's and PTX's lines: the names that they use are the kernel's.
void link_by_names(Listing& listing, const codegen::Kernel& kernel);
/// Origins of the timed instructions of machine code: where as many of a kind are timed as in the
/// PTX, they are the same in order. The others have none.
void link_by_order(Listing& sass, const Listing& ptx);
/// Origins of a file's PTX: its `.loc` directives.
void link_by_locations(Listing& ptx);

}  // namespace gpx::cli
