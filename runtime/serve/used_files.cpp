// Interface: used_files.h.
#include "runtime/serve/used_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "codegen/compile/cache.h"
#include "codegen/files/files.h"
#include "lang/lists.h"

namespace gpx::serve {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kMostUsedBytes = 64u << 20;
constexpr std::size_t kMostUsedFiles = 64;

bool is_code(const std::string& path) {
  static constexpr std::string_view kEndings[] = {".cu", ".cuh", ".h", ".hpp"};
  const std::string ending = fs::path(path).extension().string();
  return contains(kEndings, ending);
}

/// The files of `#include "..."`, beside the one that names them.
std::vector<std::string> includes_of(const std::string& text, const std::string& path) {
  std::vector<std::string> all;
  const fs::path folder = fs::path(path).parent_path();
  for (std::size_t at = text.find("#include"); at != std::string::npos;
       at = text.find("#include", at + 1)) {
    const std::string_view line = std::string_view(text).substr(at, text.find('\n', at) - at);
    const std::size_t open = line.find('"');
    const std::size_t close = open == line.npos ? line.npos : line.find('"', open + 1);
    if (close == line.npos) continue;
    all.push_back((folder / line.substr(open + 1, close - open - 1)).lexically_normal().string());
  }
  return all;
}

}  // namespace

std::vector<std::string> quoted_files(std::string_view text, std::string_view comment) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with(comment)) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      const std::size_t close = std::min(text.find('"', at + 1), text.size());
      const std::string_view one = text.substr(at + 1, close - at - 1);
      if (one.find('.') != one.npos && one.find_first_of(" \t\n") == one.npos)
        all.emplace_back(one);
      at = close;
    }
  }
  return all;
}

void UsedFiles::look(const std::string& path, File& file) const {
  std::error_code error;
  const bool there = fs::is_regular_file(path, error);
  file.time = there ? fs::last_write_time(path, error) : fs::file_time_type{};
  file.size = there ? fs::file_size(path, error) : 0;
}

const UsedFiles::File& UsedFiles::read(const std::string& path) {
  File& file = files_[path];
  if (file.read) return file;
  file = {};
  file.read = true;
  look(path, file);
  if (const auto text = read_file_at(path, kMostUsedBytes)) {
    file.hash = codegen::content_hash({*text});
    if (is_code(path)) file.includes = includes_of(*text, path);
  }
  return file;
}

std::vector<std::string> UsedFiles::all_of(const std::string& program) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (paths.size() < kMostUsedFiles && !contains(paths, path)) paths.push_back(path);
  };
  for (const std::string& name : quoted_files(program, "#"))
    add((fs::path(folder_) / name).lexically_normal().string());
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (const std::string& path : read(paths[i]).includes) add(path);
  return paths;
}

std::string UsedFiles::state_of(const std::string& program) {
  std::string state;
  for (const std::string& path : all_of(program))
    if (const File& file = read(path); !file.hash.empty())
      state += fmt::format("{} {}\n", path, file.hash);
  return state;
}

bool UsedFiles::changed() {
  bool any = false;
  for (auto& [path, file] : files_) {
    File now;
    look(path, now);
    if (now.time == file.time && now.size == file.size) continue;
    any = true;
    file.read = false;
    file.time = now.time;
    file.size = now.size;
  }
  return any;
}

std::string UsedFiles::written(const std::string& program) {
  std::string last;
  for (const std::string& path : all_of(program)) {
    const File& file = read(path);
    if (file.hash.empty()) continue;
    const auto time = std::chrono::file_clock::to_sys(file.time);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    last = std::max(last, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                      fmt::gmtime(seconds.time_since_epoch().count())));
  }
  return last;
}

}  // namespace gpx::serve
