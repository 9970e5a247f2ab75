// ScriptHost: what a script of the user gets done by a command: runs on this machine's devices,
// each kept as any other. Covered by tests/cli/store_commands_test.cpp and tests/cli/repl_test.cpp.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "runtime/cli/console.h"
#include "runtime/cli/options.h"
#include "runtime/script/script.h"

namespace gpx::cli {

class ScriptHost : public script::Host {
 public:
  /// All must outlive it; `stop` ends the run that goes on.
  ScriptHost(const StoreOptions& store, const Talk& talk, const Console& console, Session& session,
             const std::atomic<bool>& stop)
      : store_(store), talk_(talk), console_(console), session_(session), stop_(stop) {}

  Result<RunResult> run(const Source& source, const RunOptions& options) override;
  Result<std::vector<store::RunEntry>> runs(const store::Filter& filter) override;
  Result<RunResult> load(const std::string& run) override;

  /// kSuccess, or kToolFailed where a store that was named failed.
  int status() const { return status_; }

 private:
  /// To standard error, unless quiet: a warning of several runs is printed once.
  void tell_warnings(const RunResult& result);

  const StoreOptions& store_;
  const Talk& talk_;
  const Console& console_;
  Session& session_;
  const std::atomic<bool>& stop_;
  int status_ = kSuccess;
  std::set<std::string> told_;  ///< Warnings that were printed.
};

}  // namespace gpx::cli
