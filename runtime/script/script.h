// Scripts: Lua programs of users that run experiments and compare what comes of them (gpx lua).
//
// A script gets the global `gpx` and the libraries of analyses. Unless it is trusted it runs in a
// LuaSandbox, and what it names must lie beside it. docs/scripts.md documents what it may call.
// Covered by tests/script/script_test.cpp and tests/script/escape_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/analysis/lua/sandbox.h"
#include "runtime/pipeline.h"
#include "runtime/store/store.h"

namespace gpx::script {

/// What a script asks of its surroundings.
class Host {
 public:
  virtual ~Host() = default;
  virtual Result<RunResult> run(const Source& source, const RunOptions& options) = 0;
  virtual Result<std::vector<store::RunEntry>> runs(const store::Filter& filter) = 0;
  virtual Result<RunResult> load(const std::string& run) = 0;
};

struct Options {
  bool trusted = false;
  std::string device = "auto";  ///< Where a run names none.
  std::uint64_t seed = 1;
  LuaBudget budget;
};

/// Runs the script; one that is not trusted in a process of its own. Errors: what Lua or a run
/// says, at the script's line; time or memory that it goes beyond.
Result<void> run_script(const Source& script, Host& host, const Paths& paths,
                        const Options& options);
/// The same in this process.
Result<void> run_script_here(const Source& script, Host& host, const Paths& paths,
                             const Options& options);

class Confine;
/// Whatever the text names must be for the script to see.
Result<void> check_confined(const Confine& confine, const Source& source, const RunOptions& run);

/// A script that is typed piece by piece: its globals stay from one piece to the next, and each
/// piece has the whole budget of time and instructions.
class TypedScript {
 public:
  /// All must outlive it. `options.device` may change between two pieces.
  TypedScript(Host& host, const Paths& paths, const Options& options);
  ~TypedScript();
  TypedScript(const TypedScript&) = delete;
  TypedScript& operator=(const TypedScript&) = delete;

  /// Whether the text is right so far and its end is missing.
  bool is_unfinished(const std::string& text);
  /// Runs statements, or prints what an expression gives. Errors: as of run_script().
  Result<void> run(const Source& piece);
  /// Sets a global to a run.
  Result<void> set(const std::string& name, RunResult run);
  /// What may follow `path` ("it.samples") and a point or a colon; of "" the globals. Sorted.
  std::vector<std::string> names(const std::string& path);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpx::script
