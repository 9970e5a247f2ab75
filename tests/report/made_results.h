// Results made by hand, for tests of the report: no experiment runs.
#pragma once

#include <cmath>

#include "runtime/pipeline.h"

namespace gpx::made {

inline Axis axis(const std::string& name, double from, double to, double step) {
  Axis made;
  made.name = name;
  for (double v = from; v <= to; v += step) made.values.push_back(Quantity{v, Unit::none});
  return made;
}

inline Column numbers(const std::string& name, Column::Role role, Unit unit = Unit::none) {
  Column column;
  column.name = name;
  column.role = role;
  column.unit = unit;
  return column;
}

/// Latency of `threads` threads with `n` loads each on a device that holds 44 warp loads.
inline double latency(double threads, double n) {
  const double warp_loads = std::ceil(threads / 32) * n;
  return 400 + 6 * warp_loads + (warp_loads > 44 ? 350 : 0);
}

inline DeviceInfo k20() {
  DeviceInfo device;
  device.name = "k20";
  device.architecture = "sm_35";
  device.sm_major = 3;
  device.sm_minor = 5;
  device.sm_count = 13;
  device.max_threads_per_block = 1024;
  device.max_threads_per_sm = 2048;
  device.memory_bytes = 5368709120;
  device.clock_hz = 706e6;
  return device;
}

inline void fill_samples(ExperimentResult& result) {
  using Role = Column::Role;
  Samples& raw = result.samples;
  raw.columns = {numbers("n", Role::axis), numbers("threads", Role::axis),
                 numbers("repetition", Role::repetition),
                 numbers("latency", Role::observed, Unit::clock)};
  Samples& curves = result.curves;
  curves.columns = {numbers("n", Role::axis), numbers("threads", Role::axis),
                    numbers("latency", Role::observed, Unit::clock),
                    numbers("neighbour_variance", Role::observed)};
  for (double n = 1; n <= 3; ++n) {
    for (double threads = 32; threads <= 1024; threads += 32) {
      const double y = latency(threads, n);
      const double before = latency(threads - 32, n), after = latency(threads + 32, n);
      const double mean = (before + y + after) / 3;
      const double variance =
          (std::pow(before - mean, 2) + std::pow(y - mean, 2) + std::pow(after - mean, 2)) / 2;
      const double edge = threads == 32 || threads == 1024 ? NAN : variance;
      const double row[] = {n, threads, y, edge};
      for (std::size_t c = 0; c < 4; ++c) curves.columns[c].numbers.push_back(row[c]);
      for (double repetition = 0; repetition < 2; ++repetition) {
        const double sample[] = {n, threads, repetition, y};
        for (std::size_t c = 0; c < 4; ++c) raw.columns[c].numbers.push_back(sample[c]);
      }
    }
  }
}

inline Expr finding_named(const std::string& name) {
  Expr expr;
  expr.kind = Expr::Kind::finding;
  expr.text = name;
  return expr;
}

/// A run of kepler_prt with findings of every verdict, expectations and a claim.
inline ExperimentResult kepler() {
  ExperimentResult result;
  Experiment& experiment = result.experiment;
  experiment.name = "kepler_prt";
  experiment.title = "Outstanding memory requests of a Kepler SM: MSHR or PRT?";
  experiment.device = "k20";
  experiment.cites = {{"lashgar2015", {"LA8", "LA9"}}};
  experiment.sweep.groups = {{axis("n", 1, 3, 1)}, {axis("threads", 32, 1024, 32)}};
  experiment.repeat = 2;
  Plot plot;
  plot.y = {"latency", "neighbour_variance"};
  plot.x = "threads";
  plot.by = {"n"};
  experiment.plots = {plot};
  experiment.expects = {
      {finding_named("outstanding.kind"), "outstanding.kind == \"PRT\""},
      {finding_named("outstanding.entries"), "outstanding.entries within 42..45"}};
  result.file = "experiments/kepler_prt.gpx";
  result.device = k20();
  result.seed = 7;
  result.compiler = "NVRTC 13.0";
  result.artifacts = {"0123456789abcdef0123456789abcdef"};
  result.proof = "verified";
  fill_samples(result);

  Finding kind;
  kind.name = "outstanding.kind";
  kind.value = std::string("PRT");
  kind.confidence = 0.98;
  kind.verdict = Verdict::measured;
  kind.note = "the spikes lie at a constant number of warp loads, whatever the loads a thread";
  kind.proof = "verified";
  kind.paper = PaperReading{std::string("PRT"), {}, "LA9"};
  Finding entries = kind;
  entries.name = "outstanding.entries";
  entries.value = 44.0;
  entries.unit = "entries";
  entries.low = 43;
  entries.high = 45;
  entries.note = "";
  entries.paper = PaperReading{Quantity{44, Unit::none}, 45.0, "LA9"};
  entries.evidence = {{{"n", Quantity{2, Unit::none}}, {"threads", Quantity{704, Unit::none}}}};
  Finding none;
  none.name = "outstanding.saturation[n=1]";
  none.unit = "threads";
  none.verdict = Verdict::not_observed;
  none.note = "no spike up to 1024 threads";
  Finding open;
  open.name = "scoreboard.loads_per_warp";
  open.verdict = Verdict::inconclusive;
  open.low = 3;
  open.note = "one slope fits as well as two";
  result.findings = {kind, entries, none, open};
  result.expectations = {{"outstanding.kind == \"PRT\"", true, true, ""},
                         {"outstanding.entries within 42..45", true, true, ""}};
  result.claims = {{"nearly 32X", "outstanding.max_requests / 128 within 28..36", "LA9", false,
                    "1408 / 128 is 11"}};
  return result;
}

inline RunResult run_of(ExperimentResult result) {
  RunResult run;
  run.interrupted = result.interrupted;
  run.experiments.push_back(std::move(result));
  return run;
}

}  // namespace gpx::made
