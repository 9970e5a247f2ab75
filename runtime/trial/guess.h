// Arguments for a kernel of which nothing is known but its parameters.
//
// Buffers are large beside the grid, so that most indices lie inside; counts are the number of
// threads, so that most loops over data end. What cannot be guessed is 1 or 0.
// Covered by tests/runtime/trial_test.cpp.
#pragma once

#include "codegen/user/user_kernel.h"
#include "runtime/trial/find_kernels.h"

namespace gpx {

/// How daring a guess is: counts as large as the grid, or 1.
enum class Counts { of_threads, ones };

PredictRequest guess(const FoundKernel& kernel, const codegen::KernelEntry& entry, Counts counts);

}  // namespace gpx
