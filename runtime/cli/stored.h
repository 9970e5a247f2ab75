// What the commands that run experiments and those that read the store share.
#pragma once

#include <memory>
#include <optional>

#include "runtime/cli/console.h"
#include "runtime/cli/options.h"
#include "runtime/store/recorder.h"
#include "runtime/store/store.h"

namespace gpx::cli {

/// The store that holds what a command asks for.
Result<store::Store> open_store(const StoreOptions& options, bool create);

/// A run by a number, the beginning of its id, or "last".
Result<store::StoredRun> load_run(const store::Store& store, const std::string& name);
Result<store::StoredRun> load_run(const StoreOptions& options, const std::string& name);

/// "2026-01-31 12:00:05" of a time in UTC.
std::string when(const std::string& time);

/// A word as a shell would take it, in quotes where it needs them.
std::string shell_word(const std::string& word);
/// The command line as a shell would take it.
std::string command_line(const std::vector<std::string>& arguments);

/// Keeps a run, or nothing where the user wants none or the store cannot be used. A store that the
/// user named and that cannot be used is an error at the start.
class RunKeeper {
 public:
  static Result<RunKeeper> begin(const StoreOptions& options, const Console& console,
                                 std::vector<Source> sources, const RunOptions& run);
  static Result<RunKeeper> resume(store::Store store, const store::StoredRun& run);

  /// Adds the recorder to those who are told.
  void observe(RunOptions& run) const;
  /// Who is told of the experiment with this index, where experiments run beside each other;
  /// nullptr: nobody.
  RunObserver* observer(std::size_t experiment) const;
  /// kSuccess, or kToolFailed where a store that the user named does not hold the whole run; says
  /// so in both cases.
  int finish(const Console& console, bool interrupted, bool failed);
  /// The run's number in the store; 0: it is not kept.
  std::int64_t number() const;

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<store::Recorder> recorder_;
  bool named_ = true;
};

/// A run that is kept, and what the store has of it already.
struct KeptRun {
  RunKeeper keeper;
  std::optional<store::StoredRun> earlier;
  const RunResult* before() const { return earlier ? &earlier->result : nullptr; }
  bool is_complete() const { return earlier && earlier->origin.status == "complete"; }
};
/// Begins to keep a run; with `continues` goes on with the newest run of the store that measures
/// the same: the texts of `sources`, and of `run` the settings, device, seed, shard and use of
/// --whole, with this version of gpx. One that is complete is not written any more.
Result<KeptRun> keep_run(const StoreOptions& options, bool continues, const Console& console,
                         const std::vector<Source>& sources, const RunOptions& run);

}  // namespace gpx::cli
