// The REPL's history file. Covered by tests/cli/history_test.cpp.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/cli/repl/line_reader.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 1000;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string history_path() {
  if (const std::string state = environment("XDG_STATE_HOME"); !state.empty())
    return state + "/gpx/history";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.local/state/gpx/history";
}

std::vector<std::string> load_history(const std::string& path) {
  std::vector<std::string> entries;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return entries;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) entries.push_back(std::move(line));
  if (entries.size() > kMostEntries) entries.erase(entries.begin(), entries.end() - kMostEntries);
  return entries;
}

bool append_history(const std::string& path, const std::string& entry) {
  if (path.empty() || entry.empty()) return false;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  // Only its owner may read what was typed.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const std::string line = entry + '\n';
  const bool written =
      ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return ::close(descriptor) == 0 && written;
}

}  // namespace gpx::cli
