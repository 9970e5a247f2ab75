// Peak: rates of global memory that the memory itself cannot have.
// Covered by tests/runtime/peak_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "runtime/device/info.h"
#include "runtime/measure/samples.h"

namespace gpx {

/// One warning of the points at which `bytes` over `time` exceeds the bandwidth that the driver, or
/// the device's file, gives: a cache answers a part of them. Regions that access global memory by
/// patterns have both columns; of a kernel from a file, a derived column in B/s is looked at
/// instead. nullopt where none exceeds it, or where it is not known.
std::optional<std::string> beyond_peak(const Experiment& experiment, const Samples& samples,
                                       const DeviceInfo& device);

/// "rate reaches 207 GB/s at blocks=416, 99 % of the memory's reported peak, 208 GB/s", of the
/// first derived column in B/s of regions that access global memory by patterns; nullopt where
/// there is none, where it exceeds the peak, or where the peak is not known.
std::optional<std::string> share_of_peak(const Experiment& experiment, const Samples& samples,
                                         const DeviceInfo& device);

/// One warning where a derived column in B/s of a kernel from a file stands for more bytes than the
/// kernel's loads, stores and atomics move, as they were counted. nullopt where none does, or where
/// the kernel could not be counted.
std::optional<std::string> claims_too_much(const Experiment& experiment, const Samples& samples);

}  // namespace gpx
