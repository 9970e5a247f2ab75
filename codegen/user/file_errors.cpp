// Kernels from a file: what a compiler says about one, at its lines. Interface:
// codegen/user/user_kernel.h. Covered by tests/codegen/compile_file_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "codegen/user/user_kernel.h"

namespace gpx::codegen {

// "mul.cu(12): error: ..."
Error log_errors(const Source& file, const std::string& log, const std::string& compiler) {
  constexpr std::size_t kMost = 20;
  Error error{Fault::input, {}};
  for (std::size_t begin = 0; begin < log.size() && error.diagnostics.size() < kMost;) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    std::string_view line = std::string_view(log).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t at = line.find("error");
    if (at == std::string_view::npos || line.find(" detected in the compilation") != line.npos)
      continue;
    const std::size_t colon = line.find(": ", at);
    const std::string text(colon == std::string_view::npos ? line : line.substr(colon + 2));
    int number = 0;
    if (line.starts_with(file.name()) && line.substr(file.name().size()).starts_with("("))
      std::from_chars(line.data() + file.name().size() + 1, line.data() + line.size(), number);
    error.diagnostics.push_back((number > 0
                                     ? make_error(Fault::input, file, file.line(number), text)
                                     : make_error(Fault::input, std::string(line)))
                                    .diagnostics.front());
  }
  if (error.diagnostics.empty())
    error =
        make_error(Fault::input, fmt::format("{} cannot compile '{}': {}", compiler, file.name(),
                                             log.empty() ? "it says nothing" : log));
  return error;
}

std::string folder_of(const Source& file) {
  const std::string folder = std::filesystem::path(file.name()).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace gpx::codegen
