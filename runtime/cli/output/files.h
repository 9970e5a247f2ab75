// Files: reading experiment texts, and writing results whole or not at all.
// Covered by tests/cli/files_test.cpp.
#pragma once

#include <string>

#include "lang/diagnostic.h"
#include "lang/source.h"
#include "runtime/paths.h"

namespace gpx::cli {

/// The text of a file, or of standard input for "-" (named "<stdin>"). Errors: missing, unreadable,
/// a folder, larger than 16 MB.
Result<Source> read_source(const std::string& path);

/// The same, or an experiment that comes along, by its name where there is no such file.
Result<Source> read_experiment_file(const std::string& path);
/// Recordings of probes (runtime/recorded.h), packed or not.
Result<Source> read_recordings_file(const std::string& path);

/// Of a file that is empty, or holds nothing but parameters.
Error no_experiment(const std::string& file);

/// The text without a name. Errors: as above, with `most` bytes.
Result<std::string> read_text(const std::string& path, std::size_t most);
constexpr std::size_t kMostDocumentBytes = std::size_t{2} << 30;  ///< Of gpx export.

/// A result file that appears whole or not at all: written without a name, which a killed process
/// leaves nothing of, then named beside its place and renamed over it.
/// open() reserves the place before hours of measuring, so that a path that cannot be written is
/// an error at the start. A path that is no regular file (/dev/null, a pipe) is written directly.
class AtomicFile {
 public:
  static Result<AtomicFile> open(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  ///< Without commit(): leaves nothing behind.

  Result<void> commit(const std::string& text);

 private:
  AtomicFile() = default;
  void make_temporary();
  bool name_it();

  std::string path_, temporary_;  ///< `temporary_` is empty while the file has no name.
  bool renames_ = false;          ///< False: the path is written directly.
  int descriptor_ = -1;
};

/// open() and commit().
Result<void> write_file(const std::string& path, const std::string& text);

/// GPX_STDLIB, else stdlib/ beside the program, else share/gpx of where gpx is installed, else the
/// source tree where the program lies in it or its build folder, else the embedded library.
Paths find_paths();
/// The same for a program in a folder.
Paths find_paths(const std::string& folder);
/// find_paths() of a session that may start `program` (Paths::program).
Paths session_paths(const std::string& program);

/// The path as seen from the working directory where it lies beneath it, else as it is.
std::string display_path(const std::string& path);

}  // namespace gpx::cli
