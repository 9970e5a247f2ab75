// FileWatch: which files a compilation sees, and a note of each.
//
// NVRTC opens by itself what a source includes, however that is spelled (macros, __has_include,
// continued lines). Its calls of the C library are bound to functions here when it is opened: on a
// thread that watches they reach regular files below the given folders and nothing else, and each
// look-up is noted with a hash of the very bytes that were handed over. The date is always the same
// one, so that __DATE__ and __TIME__ make no other code tomorrow. On other threads they do what
// they always did. Covered by tests/codegen/compile_file_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpx::codegen {

class FileWatch {
 public:
  /// What a path gave: a hash of the file's bytes; empty where there is no file to be seen.
  using Lookups = std::map<std::string, std::string>;

  explicit FileWatch(const std::vector<std::string>& folders);

  const Lookups& lookups() const { return lookups_; }
  /// Files that are there, and lie outside the folders or are no regular files.
  const std::set<std::string>& refused() const { return refused_; }
  /// Whether the compiler asked for any file at all: one that never does is not watched.
  bool asked() const { return asked_; }

  /// What the compiler is handed of a file's bytes, by its canonical path; none: the bytes.
  using Shown = std::function<std::string(const std::string& path, const std::string& bytes)>;
  void show(Shown shown) { shown_ = std::move(shown); }
  /// Before another compilation: what is handed over may be other text by now.
  void again() { handed_.clear(); }

  /// Whether these look-ups would give today what they gave then.
  bool still(const Lookups& lookups);

  // For the functions that the compiler calls.

  /// The bytes of a file, noted; nullptr: not to be seen.
  const std::string* read(const std::string& path);
  /// What the compiler is handed of it.
  const std::string* handed(const std::string& path);
  /// Whether a path may be seen to exist. Folders may, unnoted: only files have contents.
  bool sees(const std::string& path);

 private:
  bool inside(const std::string& canonical) const;

  std::vector<std::string> folders_;  // canonical, each with a '/' at its end
  std::map<std::string, std::optional<std::string>> files_;
  std::map<std::string, std::string> handed_;
  Shown shown_;
  Lookups lookups_;
  std::set<std::string> refused_;
  bool asked_ = false;
};

/// Makes `watch` (nullptr: none) the one of this thread while it lives.
class WatchScope {
 public:
  explicit WatchScope(FileWatch* watch);
  ~WatchScope();
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 private:
  FileWatch* before_;
};

/// Binds the calls by which a loaded library (a handle of dlopen) opens files. False: it calls
/// something that cannot be bound here.
bool bind_file_calls(void* library);

}  // namespace gpx::codegen
