// Store: every run with its text, its samples as they arrive and what they showed, in one SQLite
// file. Several processes may use one store at once.
//
// Reading: find(), runs(), load(), document(). Writing: Recorder (recorder.h), import_run().
// docs/store.md describes it. Covered by tests/store/store_test.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/pipeline.h"
#include "runtime/report/report.h"
#include "runtime/store/sqlite.h"

namespace gpx::store {

using report::RunEntry;

struct Filter {
  std::uint64_t limit = 20;        ///< The newest; 0: all.
  std::string device, experiment;  ///< A part of the name; "": any.
};

struct StoredRun {
  std::int64_t number = 0;
  report::RunOrigin origin;
  RunResult result;
};

class Store {
 public:
  /// Opens a store; makes it, and the folders that it lies in, where `create` is true.
  static Result<Store> open(const std::string& path, bool create);

  /// Newest first.
  Result<std::vector<RunEntry>> runs(const Filter& filter) const;
  /// The number of a run by its number, the beginning of its id, or "last".
  Result<std::int64_t> find(const std::string& run) const;
  /// A run that was killed has the points of its last commit and is interrupted.
  Result<StoredRun> load(std::int64_t run) const;

  /// The logs of probes of a loaded run, which load() leaves out. An experiment that ended early,
  /// or that an earlier gpx measured, has none.
  Result<void> load_probes(StoredRun& run) const;

  /// What `gpx run --json` printed, byte for byte; of a run that did not end, what it has so far.
  Result<std::string> document(std::int64_t run) const;
  /// The same with a field `run`: when, where and how it came about.
  Result<std::string> export_document(std::int64_t run) const;
  /// A run as export_document() wrote it gets a number of this store. An error: it is there
  /// already.
  Result<std::int64_t> import_run(const report::ReadRun& run) const;
  /// The same of a run that may be there already: it replaces what is_newer() finds older. Returns
  /// whether anything changed.
  Result<bool> import_newer(const report::ReadRun& run) const;
  /// Whether a run with this id is not here, or here with fewer points, or not ended here.
  Result<bool> is_newer(const std::string& id, const std::string& status,
                        std::uint64_t points) const;
  /// The number of the run with this whole id; 0: there is none.
  Result<std::int64_t> number_of(const std::string& id) const;
  /// The numbers of the runs that are shards.
  Result<std::set<std::int64_t>> shards() const;

  // For Recorder.

  /// Returns its number. Of `inputs` only version, sources and settings count.
  Result<std::int64_t> add_run(const report::RunOrigin& origin, const RunResult& inputs) const;
  /// Of a run that goes on, or has ended.
  Result<void> set_status(std::int64_t run, const std::string& status,
                          const std::string& ended) const;
  /// Returns its key. An experiment of this run and ordinal is replaced; its points stay.
  Result<std::int64_t> put_experiment(std::int64_t run, std::size_t ordinal,
                                      const ExperimentResult& result, bool ended) const;
  Result<void> add_points(std::int64_t experiment, std::uint64_t first,
                          const PointsMeasured& points) const;
  Result<void> put_probes(std::int64_t experiment, const ProbeLog& log) const;
  const std::string& path() const { return database_.path(); }

 private:
  explicit Store(Database database) : database_(std::move(database)) {}
  Result<std::int64_t> insert_whole(const report::ReadRun& run) const;
  Result<void> drop(std::int64_t run) const;
  Result<StoredRun> load_inputs(std::int64_t run) const;
  Result<void> load_experiments(StoredRun& run) const;
  Result<Samples> load_samples(std::int64_t experiment, const std::string& columns) const;
  std::string status_of(std::int64_t run, const std::string& stored) const;

  Database database_;
};

/// Adds what the checked text of a run's sources knows beyond its document: plots, sweep, the units
/// of papers' values.
void complete(RunResult& run);

/// The experiments of the sources, in order; none where gpx no longer takes their text.
std::vector<Experiment> checked_experiments(const std::vector<Source>& sources,
                                            const std::vector<Setting>& settings);

}  // namespace gpx::store
