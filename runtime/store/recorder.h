// Recorder: writes a run into a store while it goes on. What it has committed stays, however the
// process ends. Covered by tests/store/store_test.cpp.
#pragma once

#include <optional>

#include "runtime/measure/run_observer.h"
#include "runtime/store/run_lock.h"
#include "runtime/store/store.h"

namespace gpx::store {

/// This run's id, the time, host and folder; status "running".
report::RunOrigin origin_of_this_run(const std::string& command, const std::string& device,
                                     std::uint64_t seed);
/// "2026-01-31T12:00:00Z"
std::string time_now();

class Recorder : public RunObserver {
 public:
  /// A new run; it appears in the store when its first experiment begins. Of `inputs` only the
  /// sources and settings count.
  Recorder(const Store& store, report::RunOrigin origin, RunResult inputs);
  /// Goes on with a run. An error: another process writes it.
  static Result<Recorder> resume(const Store& store, const StoredRun& run);

  void begins(const ExperimentResult& result) override;
  void measured(const ExperimentResult& result, const PointsMeasured& points) override;
  void ends(const ExperimentResult& result) override;
  /// No experiment follows.
  void finish(bool interrupted, bool failed);

  /// What went wrong first; after it nothing is written any more.
  const std::optional<Error>& problem() const { return problem_; }
  /// 0: nothing has begun.
  std::int64_t number() const { return number_; }

 private:
  Result<void> begin_run();
  void keep(const Result<void>& done);

  const Store& store_;
  report::RunOrigin origin_;
  RunResult inputs_;
  std::int64_t number_ = 0, experiment_ = 0;
  std::size_t ordinal_ = 0;
  std::uint64_t points_ = 0;
  RunLock lock_;
  std::optional<Error> problem_;
};

}  // namespace gpx::store
