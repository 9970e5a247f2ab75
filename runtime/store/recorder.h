// Recorder: writes a run into a store while it goes on. What it has committed stays, however the
// process ends. Covered by tests/store/store_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <mutex>
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
  Recorder(Recorder&& other) noexcept;
  ~Recorder() override;
  /// Goes on with a run. An error: another process writes it.
  static Result<Recorder> resume(const Store& store, const StoredRun& run);

  /// For experiments that run beside each other: who writes the one with this index. It may be told
  /// by a thread of its own, but lives no longer than the recorder. The index that comes after
  /// those told of so far must be told first: a run is read back without gaps.
  RunObserver& at(std::size_t ordinal);

  // One experiment after the other, each until it ends.
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
  /// What is written of one experiment so far.
  struct Place {
    std::size_t ordinal = 0;
    std::int64_t key = 0;
    std::uint64_t points = 0;
  };
  class Single;

  Result<void> begin_run();
  void keep(const Result<void>& done);
  void begins(Place& place, const ExperimentResult& result);
  void measured(Place& place, const PointsMeasured& points);
  void ends(const Place& place, const ExperimentResult& result);

  const Store& store_;
  report::RunOrigin origin_;
  RunResult inputs_;
  std::int64_t number_ = 0;
  Place place_;  ///< Of the experiment that runs, where one follows the other.
  RunLock lock_;
  std::optional<Error> problem_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  ///< Of all of the above.
  std::map<std::size_t, std::unique_ptr<RunObserver>> singles_;
};

}  // namespace gpx::store
