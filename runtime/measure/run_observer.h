// RunObserver: what is told of a run while it goes on. Progress bars and the store are observers.
// Covered by tests/runtime/pipeline_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/measure/samples.h"

namespace gpx {

struct ExperimentResult;

/// A batch of points that is complete. Points of all measures count together, in their order.
struct PointsMeasured {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  const Samples& samples;     ///< All so far.
  std::size_t first_row = 0;  ///< Of `samples`: where this batch begins.
  std::string values_digest;  ///< Over all so far.
};

/// All calls come from the thread that runs the experiments.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// The kernels are compiled and proven: `result` has everything but samples and what follows from
  /// them. Its samples have columns and no rows, or those of an earlier run that it goes on from.
  virtual void begins(const ExperimentResult& /*result*/) {}
  /// About ten times a second.
  virtual void measured(const ExperimentResult& /*result*/, const PointsMeasured& /*points*/) {}
  /// `result` is whole: judged, interrupted or failed. Also of an experiment that did not begin.
  virtual void ends(const ExperimentResult& /*result*/) {}
};

}  // namespace gpx
