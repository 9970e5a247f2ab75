// Measure: runs a program on a backend, point by point, and makes the samples of what came back.
//
// Points run in the sweep's order, in batches sized so that progress and Ctrl-C are answered about
// ten times a second. Covered by tests/runtime/measure_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "codegen/program.h"
#include "lang/experiment.h"
#include "runtime/backend.h"
#include "runtime/samples.h"

namespace gpx {

struct Measurement {
  Samples samples;  ///< Complete points only.
  /// Digest of what the kernels read, point by point: equal on any two devices that execute the
  /// same program, whatever their timing.
  std::string values_digest;
  std::optional<Error> failure;  ///< The device failed; `samples` holds what came before.
  bool interrupted = false;
};

using PointsDone = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// The backend must have loaded `program`. Each point's seed is derived from `seed` and its number.
/// It is a failure if two repetitions of a point read different values.
Measurement measure(Backend& backend, const Experiment& experiment, const codegen::Program& program,
                    std::uint64_t seed, const std::atomic<bool>& stop, const PointsDone& on_points);

}  // namespace gpx
