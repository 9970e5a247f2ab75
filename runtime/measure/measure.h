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
#include "runtime/device/backend.h"
#include "runtime/measure/run_observer.h"
#include "runtime/measure/sample_table.h"
#include "runtime/measure/shard.h"

namespace gpx {

struct Measurement {
  Samples samples;           ///< Complete points only.
  std::uint64_t points = 0;  ///< How many, of all measures.
  /// Digest of what the kernels of all measures read, point by point: equal on any two devices that
  /// execute the same programs, whatever their timing.
  std::string values_digest;
  std::optional<Error> failure;  ///< The device failed; `samples` holds what came before.
  bool interrupted = false;
  std::optional<std::string> clock_note;  ///< Points that were measured at no steady clock.
};

/// Called after each batch.
using OnPoints = std::function<void(const PointsMeasured&)>;

/// What an earlier run of the same programs measured: its first points, those of all measures
/// counted in their order.
struct MeasuredBefore {
  std::uint64_t points = 0;
  const Samples& samples;
  const std::string& values_digest;
};

/// Loads and runs each measure's program. Each point's seed is derived from `seed`, its measure and
/// its number, so that what follows `before` is what would have followed without the interruption.
/// It is a failure if two completed repetitions of a point read different values, if a launch does
/// not complete in a program that has no outcomes, or if `before` is not of these measures. Of a
/// shard only its points count, in `before` too.
Measurement measure(Backend& backend, const Experiment& experiment,
                    std::span<const LoweredMeasure> measures, std::uint64_t seed,
                    const std::atomic<bool>& stop, const OnPoints& on_points,
                    const std::optional<MeasuredBefore>& before = {}, const Shard& shard = {});

}  // namespace gpx
