// Scratch folder: private files between processes of gpx, gone with it.
// Covered by tests/cli/several_devices_test.cpp.
#pragma once

#include <string>

namespace gpx {

class ScratchFolder {
 public:
  /// "gpx-NAME-XXXXXX" in TMPDIR, for this user alone.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool made() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

}  // namespace gpx
