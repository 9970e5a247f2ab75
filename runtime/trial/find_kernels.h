// Kernels of a user's files: where each stands, and what a comment says it is to be given.
// Covered by tests/runtime/trial_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/predict/predict.h"

namespace gpx {

struct FoundKernel {
  std::string file;
  std::string name;
  int line = 0;              ///< Of `__global__`.
  bool is_template = false;  ///< Only an instance can be run.
  int extents = 1;           ///< 2 or 3 where its text reads threadIdx.y or .z.
  /// Of a line `// gpx: --entry NAME --grid G --block B --buffer ... --arg ... expect
  /// BUFFER==VALUE`.
  std::optional<PredictRequest> given = {};
};

/// Every definition of a `__global__` function in a text, in order; then the entries that comments
/// name and no definition has, such as instances of a template. Errors: a comment that cannot be
/// read, at its line.
Result<std::vector<FoundKernel>> find_kernels(const Source& text);

/// The .cu and .cuh files of a folder and the folders in it, sorted; a file stands for itself.
Result<std::vector<std::string>> kernel_files(const std::string& path);

}  // namespace gpx
