// A second vendor's device, all of it in this folder: 64 lanes, no CUDA, no PTX, no machine code.
#pragma once

#include "runtime/device/backend_kind.h"

namespace gpx::wave64 {

/// The row that register_backend() takes: one device, called wave64.
const BackendKind& kind();

}  // namespace gpx::wave64
