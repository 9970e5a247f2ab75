// Where the standard library, the experiments and gpx itself lie.
#pragma once

#include <string>
#include <vector>

namespace gpx {

struct Paths {
  std::string stdlib;  ///< Holds devices/, analysis/, kernels/, probes/.
  std::string experiments;
  /// What is started to run a program that may hang on a real GPU
  /// (runtime/device/isolated/server.h). Empty: such a program is refused.
  std::string program = {};
  std::vector<std::string> includes = {};  ///< Folders that files of kernels may include from, too.
};

}  // namespace gpx
