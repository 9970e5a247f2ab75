// Where the standard library and the experiments lie.
#pragma once

#include <string>

namespace gpx {

struct Paths {
  std::string stdlib;  ///< Holds devices/, analysis/, kernels/, probes/.
  std::string experiments;
};

}  // namespace gpx
