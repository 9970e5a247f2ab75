// Kernels from a file: what a compiler says about one, at its lines. Interface:
// codegen/user/user_kernel.h. Covered by tests/codegen/compile_file_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "codegen/ir/text.h"
#include "codegen/user/user_kernel.h"
#include "lang/words.h"

namespace gpx::codegen {
namespace {

/// Where "error: ", "catastrophic error: " or "error #20-D: " begins in a line; npos: it is none.
std::size_t error_word(std::string_view line) {
  for (const std::string_view word :
       {"catastrophic error", "fatal error", "internal error", "error", "fatal   :"})
    for (const std::string_view before : {"): ", "; ", ": "})
      if (const std::size_t at = line.find(std::string(before) + std::string(word));
          at != line.npos && at < line.find('"'))
        return at + before.size();
  for (const std::string_view word : {"error", "ptxas fatal"})
    if (line.starts_with(word)) return 0;
  return line.npos;
}

/// "FILE(12): ", "FILE(12,5): "
void read_place(std::string_view line, LogError& out) {
  const std::size_t close = line.find("): ");
  const std::size_t open = line.rfind('(', close);
  if (close == line.npos || open == line.npos) return;
  int number = 0;
  const auto [end, code] =
      std::from_chars(line.data() + open + 1, line.data() + line.size(), number);
  if (code != std::errc{} || (*end != ')' && *end != ',')) return;
  out.file = line.substr(0, open);
  out.line = number;
}

}  // namespace

// "mul.cu(12): error: ..." and "ptxas application ptx input, line 12; error   : ...". The lines
// between show the source.
std::vector<LogError> read_log(const std::string& log) {
  std::vector<LogError> all;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = take_until(rest, '\n');
    const std::size_t mark = line.find_first_not_of(" \t");
    // NVRTC indents the source's line and the mark below it by two.
    if (mark >= 2 && mark + 1 == line.size() && line[mark] == '^' && !all.empty() &&
        all.back().column == 0)
      all.back().column = static_cast<int>(mark) - 1;
    if (line.starts_with(' ') || line.find(" detected in the compilation") != line.npos) continue;
    if (line.find("Ptx assembly aborted") != line.npos && !all.empty()) continue;
    const std::size_t at = error_word(line);
    if (at == line.npos) continue;
    LogError made;
    const std::size_t colon = line.find(": ", at);
    made.text = trimmed(colon == line.npos ? line : line.substr(colon + 2));
    constexpr std::string_view kRow = ", line ";
    if (const std::size_t row = line.find(kRow); row < at)
      std::from_chars(line.data() + row + kRow.size(), line.data() + line.size(), made.ptx_line);
    else
      read_place(line, made);
    const auto same = [&](const LogError& each) {
      return each.file == made.file && each.line == made.line && each.text == made.text;
    };
    if (std::ranges::none_of(all, same)) all.push_back(std::move(made));
  }
  return all;
}

Error log_errors(const Source& file, const std::vector<LogError>& errors, const std::string& log,
                 const std::string& compiler, const ReadIncluded& read) {
  constexpr std::size_t kMost = 20;
  Error all{Fault::input, {}};
  for (const LogError& each : errors) {
    if (all.diagnostics.size() == kMost) break;
    Error one = make_error(Fault::input, each.text);
    if (each.line > 0 && each.file == file.name()) {
      one = make_error(Fault::input, file, file.line(each.line), each.text);
    } else if (each.line > 0) {
      const Source header(each.file, (read ? read(each.file) : std::nullopt).value_or(""));
      one = make_error(Fault::input, header, header.line(each.line), each.text);
      one.diagnostics.front().location->line = each.line;
    } else {
      const std::string by = each.ptx_line > 0 ? fmt::format("ptxas, line {} of the PTX of '{}'",
                                                             each.ptx_line, file.name())
                                               : compiler;
      one.diagnostics.front().message = fmt::format("{}: {}", by, each.text);
    }
    all.diagnostics.push_back(std::move(one.diagnostics.front()));
  }
  if (!all.diagnostics.empty()) return all;
  return make_error(Fault::input, fmt::format("{} cannot compile '{}': {}", compiler, file.name(),
                                              log.empty() ? "it gives no reason" : log));
}

std::string folder_of(const Source& file) {
  const std::string folder = std::filesystem::path(file.name()).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace gpx::codegen
