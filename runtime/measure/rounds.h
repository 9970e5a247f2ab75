// Rounds: jobs run as often as their program says: a fixed number of repetitions, or round after
// round until each point is settled (`repeat until`, stopping.h).
//
// A round takes all points of a batch that are still open up to the next look. It begins with their
// warm-up launches, as other points ran in between. Covered by tests/runtime/measure_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/device/backend.h"
#include "runtime/measure/sample_table.h"
#include "runtime/measure/stopping.h"

namespace gpx {

/// "point 3" or, where measures have names, "latency, point 3"
std::string point_name(const LoweredMeasure& measure, std::uint64_t point);

/// What a device returned must be what the program says: nothing after this looks again.
Result<void> check_job(const LoweredMeasure& measure, std::uint64_t point, const JobResult& job);

class Rounds {
 public:
  /// All must outlive it.
  Rounds(Backend& backend, const Experiment& experiment, std::span<const LoweredMeasure> measures)
      : backend_(backend), experiment_(experiment), measures_(measures) {}

  /// Jobs of a measure whose program is loaded: their launches are the program's. A job's seed is
  /// that of its first round. Returns those that are complete, a prefix; the last one may be one
  /// that check_job() refuses. Errors: the device's.
  Result<std::vector<JobResult>> run(std::size_t measure, const std::vector<Job>& jobs,
                                     const std::atomic<bool>& stop);

 private:
  Result<std::vector<JobResult>> until(std::size_t measure, const std::vector<Job>& jobs,
                                       const std::atomic<bool>& stop);
  std::uint64_t point_of(std::size_t measure, const Job& job) const;
  bool is_open(std::size_t measure, std::uint64_t point, const JobResult& job, double error) const;

  Backend& backend_;
  const Experiment& experiment_;
  std::span<const LoweredMeasure> measures_;
  std::map<std::uint32_t, std::vector<Look>> looks_;  ///< By the cap.
};

}  // namespace gpx
