// Measure: runs the measures of an experiment on a backend, one after another and point by point,
// and makes the samples of what came back.
//
// Points run in the sweep's order, in batches sized so that progress and Ctrl-C are answered about
// ten times a second. Covered by tests/runtime/measure_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "lang/experiment.h"
#include "runtime/backend.h"
#include "runtime/sample_table.h"

namespace gpx {

struct Measurement {
  Samples samples;  ///< Complete points only.
  /// Digest of what the kernels of all measures read, point by point: equal on any two devices that
  /// execute the same programs, whatever their timing.
  std::string values_digest;
  std::optional<Error> failure;  ///< The device failed; `samples` holds what came before.
  bool interrupted = false;
};

/// Points of all measures together.
using PointsDone = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Loads and runs each measure's program. Each point's seed is derived from `seed`, its measure and
/// its number. It is a failure if two completed repetitions of a point read different values, or if
/// a launch does not complete in a program that has no outcomes.
Measurement measure(Backend& backend, const Experiment& experiment,
                    std::span<const LoweredMeasure> measures, std::uint64_t seed,
                    const std::atomic<bool>& stop, const PointsDone& on_points);

}  // namespace gpx
