// A real GPU behind the Backend interface, by the CUDA driver API.
// Interface: open(). Covered by tests/runtime/cuda_backend_test.cpp, which supplies a driver of its
// own, and by tests/gpu/run.sh on a machine with a GPU.
#pragma once

#include <memory>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"
#include "runtime/device/backend_kind.h"
#include "runtime/device/cuda/device.h"

namespace gpx::cuda {

struct QueueLimits;

/// Real GPUs: cuda, cuda:N.
const BackendKind& kind();

/// Opens GPU `index`. Its target is machine code for that GPU. Errors: no driver, no such GPU, the
/// GPU refuses a context.
Result<std::unique_ptr<Backend>> open(int index);

/// The same with a given driver, which must outlive the backend.
Result<std::unique_ptr<Backend>> open(const DriverState& state, int index,
                                      const QueueLimits& limits);

}  // namespace gpx::cuda
