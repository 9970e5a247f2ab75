// Stores in folders that are gone after the test, and runs of a small experiment.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "../cli/captured.h"
#include "runtime/report/report.h"
#include "runtime/store/recorder.h"

namespace gpx::store {

inline const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// Two experiments; the first one's findings need all of its points. 513 points.
inline const char* kTwo =
    "experiment prt {\n  cite lashgar2015 LA8\n  device k20\n  sweep n 2..3, threads 4..1024 step "
    "4\n"
    "  < load unique(128B) x n >\n  analyze outstanding(x = threads, loads = n)\n"
    "  paper outstanding.saturation[n=2] = 680 LA8\n"
    "  expect outstanding.saturation[n=2] within 672..704\n}\n"
    "experiment one { threads 32 repeat 3 < load unique(128B) > }\n";

template <typename T>
T value(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().diagnostics.front().message));
  return std::move(*result);
}

template <typename T>
std::string message(const Result<T>& result) {
  return result ? "" : result.error().diagnostics.front().message;
}

/// Sets `stop` after so many points.
struct StopAfter : RunObserver {
  explicit StopAfter(std::uint64_t most) : points(most) {}
  std::uint64_t points;
  std::atomic<bool> stop{false};
  void measured(const ExperimentResult&, const PointsMeasured& measured) override {
    stop = measured.done >= points;
  }
};

inline RunOptions on_k20() {
  RunOptions options;
  options.device = "k20";
  return options;
}

/// Runs the source and keeps it; returns what `gpx run --json` would print.
inline std::string keep(const Store& store, Session& session, const Source& source,
                        RunOptions options = on_k20()) {
  RunResult inputs;
  inputs.sources = {source};
  inputs.settings = options.settings;
  Recorder recorder(store, origin_of_this_run("gpx run x", options.device, options.seed), inputs);
  options.observers.push_back(&recorder);
  const RunResult result = value(session.run(source, options));
  recorder.finish(result.interrupted, !result.experiments.back().whole() && !result.interrupted);
  CHECK_FALSE(recorder.problem().has_value());
  return report::to_json(result);
}

}  // namespace gpx::store
