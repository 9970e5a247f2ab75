// How much energy a launch takes, by a counter of the whole board that advances in steps.
//
// Launches run in a row: several batches are queued, and another one before the last of them has
// ended, so that the GPU never waits while the counter is read. Then the board rests, which gives
// its idle power while it is warm: leakage grows with the temperature. Three idle H100s took 117 to
// 121 W before a minute of loads, and 122 to 136 W after it. Power is the energy between two steps
// of the counter over the time between them, so that it does not matter how far apart its steps
// are. A launch takes the time between the ends of two batches over the launches between them. The
// launches before the first step are for a clock that falls under load: it has fallen by then.
// Covered by tests/runtime/meter_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "lang/diagnostic.h"
#include "runtime/device/backend.h"

namespace gpx::cuda {

/// What it asks of a device, and of time. All in base units: s, J, Hz.
struct MeterPorts {
  std::function<double()> now;
  std::function<void(double)> rest;
  std::function<std::optional<double>()> joules;     ///< Since some time in the past.
  std::function<std::optional<double>()> clock;      ///< Of the SMs.
  std::function<Result<void>(std::uint32_t)> start;  ///< Queues so many launches, a batch.
  std::function<Result<std::uint32_t>()> ahead;      ///< Batches that have not ended.
  std::function<bool()> stop;
};

/// Watts of the board with nothing to do, a moment after what it did.
Result<double> idle_watts(const MeterPorts& ports);

/// Of launches in a row, for at least so many seconds. The idle power is left 0. Errors: the
/// counter does not advance, a launch fails, or it was told to stop.
Result<Metered> meter(const MeterPorts& ports, double seconds);

}  // namespace gpx::cuda
