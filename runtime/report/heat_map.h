// Heat maps: latencies over two things that vary: the number of an access against a size, an SM
// against an axis. Covered by tests/report/heat_map_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/pipeline.h"

namespace gpx::report {

struct HeatAxis {
  std::string name, unit;
  std::vector<double> values;      ///< Ascending; of a bin that holds several, the least.
  std::vector<std::string> words;  ///< Instead of values, where the axis has words.
  std::size_t bins() const { return words.empty() ? values.size() : words.size(); }
};

struct HeatMap {
  std::string title;  ///< "latency by access and size"; with the other axes' values.
  HeatAxis x, y;
  std::string name, unit;     ///< Of the cells.
  std::vector<double> cells;  ///< y.bins() rows of x.bins() values; NaN where nothing was measured.
  bool binned = false;        ///< A cell is the greatest of several values.
};

/// Of samples with the latency of each access, or with the SM, over an axis that varies. At most a
/// few maps; each at most 256 x 128 cells.
std::vector<HeatMap> heat_maps(const ExperimentResult& result);

}  // namespace gpx::report
