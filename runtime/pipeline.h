// The pipeline: experiment text in, samples and findings out, one named type between two stages.
//
//   source -> AST -> experiments -> kernels -> artifacts -> samples -> findings -> expectations
//
// A `Session` keeps what is slow to make (an open device, compiled artifacts) between runs; it has
// no globals, so two sessions may run in two threads. Covered by tests/runtime/pipeline_test.cpp
// and by the whole experiments in tests/experiments/.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "lang/language.h"
#include "runtime/analysis/expectation.h"
#include "runtime/analysis/finding.h"
#include "runtime/analysis/probe_log.h"
#include "runtime/device/backend.h"
#include "runtime/device/co_runner.h"
#include "runtime/device/info.h"
#include "runtime/device/telemetry.h"
#include "runtime/entry.h"
#include "runtime/kernel_text.h"
#include "runtime/measure/run_observer.h"
#include "runtime/measure/samples.h"
#include "runtime/measure/shard.h"
#include "runtime/measure/stages.h"
#include "runtime/paths.h"
#include "runtime/results.h"

namespace gpx {

struct RunResult;

/// What is known beyond an experiment where it is a group of `gpx characterize`.
struct GroupNote {
  std::string family;  ///< The file that it is of: "memory".
  double seconds = 0;  ///< That it took, or had taken when it was stopped.
  /// Why it was stopped or did not begin: "budget", "interrupted", "another process"; else "".
  std::string reason;
  /// When it ended: seconds since the characterization began, whose groups run beside each other;
  /// 0: not known.
  double ended = 0;
};

struct RunOptions {
  std::string device = "auto";    ///< auto, cuda, cuda:1, a device's name, or a file.lua.
  std::vector<Setting> settings;  ///< --set
  std::uint64_t seed = 1;         ///< Of a virtual GPU's noise.
  bool all_blocks = false;        ///< --whole: every block of a grid is run, not a sample of them.
  Shard shard;                    ///< Only its points are measured, and none are analysed.
  std::string from;               ///< Of entry_stages(): what the source is; "": the language.
  std::set<std::string> dump;     ///< A subset of dump_stages().
  OnDump on_dump;
  std::vector<RunObserver*> observers;      ///< Told of each experiment, in this order.
  const std::atomic<bool>* stop = nullptr;  ///< Set: measure no further point.
  /// What an earlier run of the same source gave before it ended early: its whole experiments are
  /// taken as they are, and the one that is not whole goes on from its points.
  const RunResult* before = nullptr;
  bool no_wait = false;  ///< Beside another gpx on a real device, too, which disturbs both.
  std::function<void(const std::string&)> on_wait;  ///< Told why it waits, once.
  std::optional<GroupNote> group;                   ///< Of the results: ExperimentResult::group.
  /// ExperimentResult::kernel_files of a stored run: they stand for the files of their names,
  /// whatever those hold by now.
  std::vector<Source> kernel_files;
  std::vector<SavedBuffer> saved;  ///< --save
};

/// One experiment's results. After an interruption or a failure `samples` holds the points that
/// were complete, and `findings` is empty: half a sweep must not be judged.
struct ExperimentResult {
  Experiment experiment;
  std::string file;
  DeviceInfo device;
  std::uint64_t seed = 0;
  bool all_blocks = false;             ///< RunOptions::all_blocks.
  Shard shard;                         ///< RunOptions::shard.
  std::string ir;                      ///< Hash of the checked experiment.
  std::string build;                   ///< build_id() of what measured.
  std::string device_file;             ///< Hash of a virtual device's file; "" for a real one.
  std::string compiler;                ///< "libnvrtc.so.13.0.88": what made the artifacts.
  std::vector<std::string> artifacts;  ///< Hashes of the kernels, measure by measure.
  std::vector<KernelText> kernels;     ///< The first ones: enough to read, not all of a sweep.
  std::vector<Source> kernel_files;    ///< The kernels' own files, as they were read.
  std::string proof;                   ///< Of the timed regions: "verified", "unverified".
  /// Of what the kernels read (runtime/measure/measure.h); of kernels from files of the buffers
  /// that were read back (runtime/results.h).
  std::string values_digest;
  /// The device's clocks and temperature around the measurement, where it tells them.
  Telemetry state_before, state_after;
  CoRunner co_runner;              ///< What another process on the device did meanwhile.
  std::uint64_t points = 0;        ///< That are complete, of all measures.
  std::uint64_t points_total = 0;  ///< Of the whole sweep, or of the shard.
  Samples samples;                 ///< Raw: one row a repetition, or a record of it.
  Samples curves;                  ///< Reduced over repetitions, with intervals.
  ProbeLog probes;                 ///< What its analyses asked the device, and what they concluded.
  std::vector<Finding> findings;
  std::vector<ExpectationResult> expectations;
  std::vector<ClaimResult> claims;
  std::vector<std::string> printed;  ///< What analysis scripts printed.
  std::vector<std::string> warnings;
  std::optional<Error> failure;    ///< The device failed after the points in `samples`.
  bool interrupted = false;        ///< Stopped by the user after the points in `samples`.
  std::optional<GroupNote> group;  ///< Of gpx characterize (runtime/characterize.h).

  bool whole() const { return !failure && !interrupted; }
};

/// Experiments in the order of the source. After an interruption or a failure the later ones are
/// missing.
struct RunResult {
  std::string gpx = GPX_VERSION;  ///< The version that measured.
  std::vector<Source> sources;    ///< What ran, as it was read.
  std::vector<Setting> settings;
  std::vector<ExperimentResult> experiments;
  bool interrupted = false;

  /// Of the first experiment that failed; nullptr: none did.
  const Error* failure() const {
    for (const ExperimentResult& each : experiments)
      if (each.failure) return &*each.failure;
    return nullptr;
  }
};

class Session {
 public:
  explicit Session(Paths paths);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Paths& paths() const;

  /// Parses and checks the whole source before anything runs, then runs its experiments in order.
  Result<RunResult> run(const Source& source, const RunOptions& options);

  /// The device that `name` ("auto", "cuda:1", "k20", "my.lua") would run on. `preferred` is the
  /// experiment's own device, used for auto where there is no GPU. The reference stays valid until
  /// the session ends.
  Result<Backend*> open(const std::string& name, const std::string& preferred = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpx
