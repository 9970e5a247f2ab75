// A small model of an SM that loads from memory, independent of the virtual GPU, with which the
// inference is tested: devices whose limits are known, and samples as a sweep would give them.
#pragma once

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "runtime/analysis/analysis.h"

namespace gpx::testing {

struct Planted {
  enum class Kind { mshr, prt, none };
  Kind kind = Kind::none;
  int entries = 128;
  int merges = 8;  ///< MSHR: lanes that share an entry.
  int spare = 0;   ///< PRT: requests of loads that found it full, held beside the entries.
  double round_trip = 400;
  double issue = 0.2;   ///< Clocks a lane, in its pipeline.
  int pipelines = 1;    ///< Warps that issue side by side.
  double spike = 0;     ///< Added once for each further turn of the pipelines (serialization).
  int spikes = 1000;    ///< At most so many times.
  double jitter = 0;    ///< Standard deviation of one repetition.
  double outliers = 0;  ///< Share of repetitions that take up to twice as long.
};

/// Memory entries: who holds one returns it at a time that is known when it takes it.
class Table {
 public:
  explicit Table(int size) : size_(size) {}
  bool fits(double now, int count) {
    while (!held_.empty() && held_.top() <= now) held_.pop();
    return static_cast<int>(held_.size()) + count <= size_;
  }
  /// When `count` entries are free, not before `now`.
  double wait(double now, int count) {
    while (!fits(now, count)) now = held_.top();
    return now;
  }
  void take(double until, int count) {
    for (int i = 0; i < count; ++i) held_.push(until);
  }

 private:
  int size_;
  std::priority_queue<double, std::vector<double>, std::greater<>> held_;
};

/// Clocks from the first load to the last reply of a block, without noise.
inline double model_latency(const Planted& device, int threads, int merge, int loads) {
  const int warps = (threads + 31) / 32;
  std::vector<double> pipeline(static_cast<std::size_t>(device.pipelines), 0.0);
  Table table(device.entries);
  Table spare(device.spare);
  double last = 0;
  for (int warp = 0; warp < warps; ++warp) {
    for (int load = 0; load < loads; ++load) {
      double& now = pipeline[static_cast<std::size_t>(warp % device.pipelines)];
      const int lanes = std::min(32, threads - warp * 32);
      const int requests = (lanes + merge - 1) / merge;
      const bool prt = device.kind == Planted::Kind::prt;
      const bool beside = prt && !table.fits(now, 1) && spare.fits(now, requests);
      if (prt && !beside) now = table.wait(now, 1);
      double reply = 0;
      for (int lane = 0; lane < lanes; lane += merge) {
        const int sharing = std::min(merge, lanes - lane);
        const int needs = (sharing + device.merges - 1) / device.merges;
        if (device.kind == Planted::Kind::mshr) {
          for (int entry = 0; entry < needs; ++entry) {
            now = table.wait(now, 1);
            table.take(now + device.round_trip, 1);
          }
        }
        reply = now + device.round_trip;
        now += device.issue * sharing;
      }
      if (beside) spare.take(reply, requests);
      if (prt && !beside) table.take(reply, 1);
      last = std::max(last, reply);
    }
  }
  const int turns = std::min(device.spikes, (warps - 1) / device.pipelines);
  return last + 20 + device.spike * turns;
}

struct Curve {
  int merge = 1;
  int loads = 1;
};

/// An empty table with the columns of a thread-latency sweep.
inline Samples thread_latency_columns() {
  const auto column = [](const char* name, Column::Role role, Unit unit) {
    return Column{name, unit, role, false, {}, {}};
  };
  Samples samples;
  samples.columns = {column("merge", Column::Role::axis, Unit::none),
                     column("n", Column::Role::axis, Unit::none),
                     column("threads", Column::Role::axis, Unit::none),
                     column("repetition", Column::Role::repetition, Unit::none),
                     column("latency", Column::Role::observed, Unit::clock)};
  return samples;
}

inline void add_row(Samples& samples, const std::vector<double>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) samples.columns[i].numbers.push_back(cells[i]);
}

inline Samples measure_planted(const Planted& device, const std::vector<Curve>& curves,
                               std::mt19937& random, int step = 2, int last = 1024) {
  Samples samples = thread_latency_columns();
  std::normal_distribution<double> noise(0, 1);
  std::uniform_real_distribution<double> share(0, 1);
  for (const Curve& curve : curves) {
    for (int threads = step; threads <= last; threads += step) {
      const double exact = model_latency(device, threads, curve.merge, curve.loads);
      for (int repetition = 0; repetition < 3; ++repetition) {
        double clocks = exact + std::fabs(device.jitter * noise(random));
        if (share(random) < device.outliers) clocks *= 1 + share(random);
        add_row(samples, {double(curve.merge), double(curve.loads), double(threads),
                          double(repetition), std::round(clocks)});
      }
    }
  }
  return samples;
}

inline Experiment outstanding_experiment() {
  Experiment experiment;
  experiment.reduce = Reduce::harmonic_mean;
  Analyze statement;
  statement.method = "outstanding";
  statement.args = {{"x", true, std::string("threads")},
                    {"loads", true, std::string("n")},
                    {"merge", true, std::string("merge")}};
  experiment.analyses = {statement};
  return experiment;
}

inline DeviceInfo plain_device() {
  DeviceInfo device;
  device.name = "planted";
  device.sm_count = 1;
  return device;
}

inline const Finding* find(const std::vector<Finding>& findings, const std::string& name) {
  for (const Finding& finding : findings) {
    if (finding.name == name) return &finding;
  }
  return nullptr;
}

}  // namespace gpx::testing
