// UsedFiles: the files that cells name, such as kernels, and what those include: a cell whose
// kernel has changed is stale, too.
//
// Not thread-safe. Covered by tests/serve/serve_test.py and tests/serve/used_files_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::serve {

class UsedFiles {
 public:
  /// Paths are relative to this folder.
  explicit UsedFiles(std::string folder) : folder_(std::move(folder)) {}

  /// A text for the contents of all files that a program names, with those that they include; ""
  /// where it names none. Files are read again only after a change.
  std::string state_of(const std::string& program);
  /// Whether a file that some program names has changed, appeared or gone since the last call.
  bool changed();
  /// "2026-01-31T12:00:00Z": when one of a program's files was written last; "": it names none.
  std::string written(const std::string& program);

 private:
  struct File {
    std::filesystem::file_time_type time{};
    std::uintmax_t size = 0;
    std::string hash;                   ///< Empty: it is not there, or was not read yet.
    std::vector<std::string> includes;  ///< Paths.
    bool read = false;
  };
  void look(const std::string& path, File& file) const;
  const File& read(const std::string& path);
  /// The paths of a program's files, each once, those that they include behind them.
  std::vector<std::string> all_of(const std::string& program);

  std::string folder_;
  std::map<std::string, File> files_;
};

/// The texts in quotes that may name a file: they hold a dot and no blank. Not those in comments.
std::vector<std::string> quoted_files(std::string_view text, std::string_view comment);

}  // namespace gpx::serve
