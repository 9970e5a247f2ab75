// Interface: kernel_place.h. Covered by tests/runtime/kernel_module_test.cpp.
#include "runtime/measure/kernel_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "codegen/ptx/text.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

/// The line on which a variable's declaration in the PTX has its name in the source; 0: none.
int line_of_variable(const codegen::Artifact& artifact, int ptx_line) {
  std::istringstream ptx(artifact.ptx);
  std::string text;
  for (int i = 0; i < ptx_line; ++i) std::getline(ptx, text);
  const std::size_t end = text.find('[');
  std::size_t begin = std::min(end, text.size());
  while (begin > 0 && codegen::in_word(text[begin - 1])) --begin;
  const std::string name = end == std::string::npos ? "" : text.substr(begin, end - begin);
  const std::string& source = artifact.cuda;
  for (std::size_t at = source.find(name); !name.empty() && at != std::string::npos;
       at = source.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    const bool whole = (at == 0 || !codegen::in_word(source[at - 1])) &&
                       (after == source.size() || !codegen::in_word(source[after]));
    if (whole)
      return 1 + static_cast<int>(std::count(
                     source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return 0;
}

// A compiler writes the path as it found the file then: in a cache it may be of another folder.
bool is_kernel_file(std::string_view path, const std::string& kernel_file) {
  return path.empty() || fs::path(path).filename() == fs::path(kernel_file).filename();
}

/// The path below the kernel's folder; "": it does not lie there.
std::string in_own_folder(std::string_view path, const std::string& kernel_file) {
  std::error_code error;
  const fs::path folder = fs::path(kernel_file).parent_path();
  const fs::path whole = fs::weakly_canonical(folder.empty() ? "." : folder, error);
  const fs::path below = fs::weakly_canonical(path, error).lexically_relative(whole);
  if (error || below.empty() || *below.begin() == "..") return "";
  return (folder / below).string();
}

/// The last two parts of a path: "cuda/barrier".
std::string short_name(std::string_view path) {
  const fs::path whole(path);
  return (whole.parent_path().filename() / whole.filename()).string();
}

std::optional<Location> location_of(const ptx::SourcePlace& place,
                                    const codegen::Artifact& artifact,
                                    const std::string& kernel_file) {
  std::string name = kernel_file, text = artifact.cuda;
  if (!is_kernel_file(place.file, kernel_file)) {
    name = in_own_folder(place.file, kernel_file);
    auto own = name.empty() ? std::nullopt : file_text(name);
    if (!own) return std::nullopt;
    text = std::move(*own);
  }
  const Source file(name, text);
  if (place.line > 1 + std::ranges::count(text, '\n')) return std::nullopt;
  return file.locate(file.line(place.line));
}

}  // namespace

std::string KernelPlace::text() const {
  return fmt::format("line {} of {}{}{}", location.line, location.file, besides.empty() ? "" : ", ",
                     besides);
}

std::optional<KernelPlace> kernel_place(const codegen::Artifact& artifact,
                                        const std::string& kernel_file, int ptx_line) {
  if (ptx_line <= 0) return std::nullopt;
  auto places = ptx::source_places(artifact.ptx, ptx_line);
  if (places.empty())
    if (const int line = line_of_variable(artifact, ptx_line))
      places.push_back({kernel_file, line});
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto location = location_of(places[i], artifact, kernel_file);
    if (!location) continue;
    KernelPlace found{*location, ""};
    if (i > 0) found.besides = fmt::format("in {}:{}", short_name(places[0].file), places[0].line);
    const auto caller = std::find_if(
        places.begin() + static_cast<std::ptrdiff_t>(i), places.end(),
        [&](const ptx::SourcePlace& each) { return is_kernel_file(each.file, kernel_file); });
    if (caller != places.end() && !is_kernel_file(places[i].file, kernel_file))
      found.besides += fmt::format("{}inlined at {}:{}", found.besides.empty() ? "" : ", ",
                                   kernel_file, caller->line);
    return found;
  }
  return std::nullopt;
}

int kernel_line(const codegen::Artifact& artifact, const std::string& kernel_file, int ptx_line) {
  for (const ptx::SourcePlace& place : ptx::source_places(artifact.ptx, ptx_line))
    if (is_kernel_file(place.file, kernel_file)) return place.line;
  return 0;
}

}  // namespace gpx
