// Reading what the standard library says of itself. Interface: library.h; covered by
// tests/lsp/library_test.cpp.
#include "runtime/lsp/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "codegen/files/files.h"
#include "lang/vocabulary.h"
#include "lang/words.h"
#include "runtime/analysis/analysis.h"
#include "runtime/device/select.h"

namespace gpx::lsp {
namespace {

std::string read_file(const std::string& path) {
  return file_text(path).value_or("");
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

/// The names that a pattern stands for: {a,b} is either, * any operation.
std::vector<std::string> expanded(const std::string& pattern) {
  std::vector<std::string> parts;
  const std::size_t open = pattern.find('{'), star = pattern.find('*');
  if (open == std::string::npos && star == std::string::npos) return {pattern};
  const std::size_t begin = std::min(open, star);
  const std::size_t end = star < open ? star : pattern.find('}', open);
  if (end == std::string::npos) return {pattern};
  if (star < open) {
    for (const Term& term : vocabulary())
      if (term.kind == TermKind::operation) parts.emplace_back(term.name);
  } else {
    std::istringstream inside(pattern.substr(open + 1, end - open - 1));
    for (std::string part; std::getline(inside, part, ',');) parts.push_back(part);
  }
  std::vector<std::string> names;
  for (const std::string& part : parts)
    for (std::string& name : expanded(pattern.substr(0, begin) + part + pattern.substr(end + 1)))
      names.push_back(std::move(name));
  return names;
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

std::vector<LibraryFinding> read_rows(std::string_view text) {
  std::vector<LibraryFinding> rows;
  while (!text.empty()) {
    std::istringstream words{std::string(take_until(text, '\n'))};
    LibraryFinding row;
    if (!(words >> row.analysis >> row.name) || row.analysis.starts_with('#')) continue;
    std::getline(words >> std::ws, row.about);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<LibraryFinding> read_findings(std::string_view text) {
  std::vector<LibraryFinding> findings;
  for (const LibraryFinding& row : read_rows(text))
    for (std::string& name : expanded(row.name))
      findings.push_back({row.analysis, std::move(name), row.about});
  return findings;
}

Library load_library(const Paths& paths) {
  Library library{paths, {}, {}, read_findings(read_file(paths.stdlib + "/findings.txt"))};
  for (const std::string& name : virtual_devices(paths))
    library.devices.push_back(device_of(name, paths));
  for (const std::string& name : analysis_methods(paths.stdlib)) {
    const std::string path = paths.stdlib + "/analysis/" + name + ".lua";
    library.analyses.push_back(read_head(name, path, read_file(path)));
  }
  return library;
}

}  // namespace gpx::lsp
