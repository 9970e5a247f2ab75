// Sequences: launches that come before the predicted one in a loop, `--after 'fill<<<64,
// 256>>>(x, 1024)'`. What they leave in L2 is what the predicted launch finds there.
// Covered by tests/runtime/sequence_test.cpp.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

/// A launch as CUDA writes it: [FILE:]ENTRY<<<GRID, BLOCK[, SHARED]>>>(ARGUMENT, ...).
struct EarlierLaunch {
  std::string text;   ///< As it was given.
  std::string file;   ///< "": that of the predicted kernel.
  std::string entry;  ///< "ns::fill", "fill<float, 3>"
  std::vector<std::string> grid, block;
  std::string shared_bytes;         ///< "": none.
  std::vector<std::string> values;  ///< Of the arguments, by place, as the language has them.
  std::vector<std::string> names;   ///< Of the buffers among them; "": a value or an own buffer.
};

/// `buffers`: "x" is "4MB, index(2)", for each buffer that has a name. An argument NAME=buffer(4MB)
/// adds one, which later launches may name. Errors: a text that is no launch.
Result<EarlierLaunch> earlier_launch(const std::string& text,
                                     std::map<std::string, std::string>& buffers);

/// The predicted launch first, then the others in their order; buffers of one name are the same
/// memory. `measures`: lowered in that order.
LoweredMeasure joined(std::span<const LoweredMeasure> measures,
                      std::span<const EarlierLaunch> earlier);

}  // namespace gpx
