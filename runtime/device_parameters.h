// Parameters of the groups of `gpx characterize` that take facts of the device, or follow from
// some. Covered by tests/experiments/characterize_test.cpp.
#pragma once

#include "lang/diagnostic.h"
#include "lang/source.h"
#include "runtime/device/info.h"

namespace gpx {

/// A family's text with values for this device in place of those of its parameters:
/// - `full`, `near`  threads of the largest block, and of one that has 64 registers a thread
/// - `sms`, `l2_bytes`  SMs, and bytes of L2 as the driver reports them
/// - `rounds`, `repeats`, `streamed`, `overflow`, `laps`, `l2_share`  how much bandwidth.gpx moves:
///   more on a real GPU, whose timer and memory need launches of a millisecond, than on a model
/// Errors: what parse() refuses.
Result<Source> with_facts(const Source& source, const DeviceInfo& device);

}  // namespace gpx
