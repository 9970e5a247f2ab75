// Reading what the standard library says of itself. Interface: library.h; covered by
// tests/lsp/library_test.cpp.
#include "runtime/lsp/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "runtime/analysis.h"
#include "runtime/device_select.h"

namespace gpx::lsp {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

/// The lines of the comment, without their dashes.
std::string comment_of(std::string_view text) {
  std::string comment;
  while (text.starts_with("--")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    comment +=
        text.substr(text.starts_with("-- ") ? 3 : 2, end - (text.starts_with("-- ") ? 3 : 2));
    comment += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comment;
}

/// What the tests are is of no use to who writes an experiment.
std::string without_tests(std::string text) {
  const std::size_t covered = text.find("Covered by");
  return trimmed(std::string_view(text).substr(0, covered));
}

/// The place after the parenthesis that closes the one at `open`; npos if there is none.
std::size_t after_call(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<LibraryAnalysis::Parameter> parameters_of(std::string_view inside) {
  std::vector<LibraryAnalysis::Parameter> parameters;
  while (!inside.empty()) {
    const std::size_t comma = std::min(inside.find(','), inside.size());
    const std::string_view part = inside.substr(0, comma);
    inside.remove_prefix(std::min(comma + 1, inside.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    parameters.push_back({trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1))});
  }
  return parameters;
}

/// Runs of white space become one blank, outside of what the author laid out in columns.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

LibraryDevice device_of(const std::string& name, const Paths& paths) {
  LibraryDevice device{name, paths.stdlib + "/devices/" + name + ".lua", {}};
  const auto backend = open_device(device.path);
  if (!backend) return device;
  const DeviceInfo& info = (*backend)->info();
  device.about = fmt::format(
      "virtual GPU (a model, not a measurement): compute capability {}.{}, {} SMs, {:.0f} MHz, "
      "{:.0f} MB of memory, at most {} threads a block",
      info.sm_major, info.sm_minor, info.sm_count, info.clock_hz / 1e6,
      static_cast<double>(info.memory_bytes) / (1 << 20), info.max_threads_per_block);
  return device;
}

template <typename T>
const T* named(const std::vector<T>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const LibraryDevice* Library::device(std::string_view name) const {
  return named(devices, name);
}

const LibraryAnalysis* Library::analysis(std::string_view name) const {
  return named(analyses, name);
}

LibraryAnalysis read_head(std::string name, std::string path, std::string_view text) {
  LibraryAnalysis analysis{std::move(name), std::move(path), {}, {}, {}};
  const std::string comment = comment_of(text);
  const std::size_t open = analysis.name.size();
  const bool has_call = comment.starts_with(analysis.name + "(");
  const std::size_t end = has_call ? after_call(comment, open) : std::string::npos;
  if (end == std::string::npos) {
    analysis.call = analysis.name + "()";
    analysis.about = without_tests(comment);
    return analysis;
  }
  analysis.call = on_one_line(std::string_view(comment).substr(0, end));
  analysis.parameters = parameters_of(std::string_view(comment).substr(open + 1, end - open - 2));
  std::size_t about = end;
  while (about < comment.size() && (comment[about] == ':' || comment[about] == ' ')) ++about;
  analysis.about = without_tests(comment.substr(about));
  return analysis;
}

Library load_library(const Paths& paths) {
  Library library{paths, {}, {}};
  for (const std::string& name : virtual_devices(paths))
    library.devices.push_back(device_of(name, paths));
  for (const std::string& name : analysis_methods(paths.stdlib)) {
    const std::string path = paths.stdlib + "/analysis/" + name + ".lua";
    library.analyses.push_back(read_head(name, path, read_file(path)));
  }
  return library;
}

}  // namespace gpx::lsp
