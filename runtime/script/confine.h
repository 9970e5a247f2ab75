// What a script that is not trusted may have read for it: files beside it or beneath, and those
// that come with gpx. Covered by tests/script/escape_test.cpp.
#pragma once

#include <string>

#include "lang/experiment.h"
#include "runtime/paths.h"

namespace gpx::script {

class Confine {
 public:
  /// `folder`: where the script lies.
  Confine(const std::string& folder, const Paths& paths);

  /// The path with links followed. An error: it lies elsewhere, does not end in `ending`, or is no
  /// file.
  Result<std::string> file(const std::string& path, const std::string& ending) const;
  /// A device's name, or a device file as above.
  Result<void> device(const std::string& name) const;
  /// The files that an experiment names; `folder` is that of its text. Kernels come from the
  /// library alone: the compiler would read for any other what it includes.
  Result<void> experiment(const Experiment& experiment, const std::string& folder) const;

 private:
  std::string folder_, experiments_, kernels_;
};

}  // namespace gpx::script
