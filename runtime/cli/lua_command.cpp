// gpx lua: a user's script that runs experiments. Covered by tests/cli/lua_command_test.cpp.
#include "runtime/cli/commands.h"
#include "runtime/cli/files.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/stored.h"
#include "runtime/script/script.h"

namespace gpx::cli {
namespace {

/// Runs on this machine's devices; keeps each run as any other.
class CommandHost : public script::Host {
 public:
  CommandHost(const Options& options, const Console& console, Session& session,
              const std::atomic<bool>& stop)
      : options_(options), console_(console), session_(session), stop_(stop) {}

  Result<RunResult> run(const Source& source, const RunOptions& wanted) override {
    ProgressBar bar(console_.err, console_.err_style, console_.err_is_terminal);
    RunOptions run = wanted;
    run.stop = &stop_;
    run.observers = {&bar};
    Result<RunKeeper> keeper = RunKeeper::begin(options_, console_, {source}, run);
    if (!keeper) return tl::unexpected(keeper.error());
    keeper->observe(run);
    Result<RunResult> result = session_.run(source, run);
    const bool failed =
        !result || result->experiments.empty() || result->experiments.back().failure.has_value();
    const int kept = keeper->finish(console_, result && result->interrupted, failed);
    if (kept != kSuccess) status_ = kept;
    return result;
  }
  Result<std::vector<store::RunEntry>> runs(const store::Filter& filter) override {
    const auto opened = open_store(options_, false);
    if (!opened) return tl::unexpected(opened.error());
    return opened->runs(filter);
  }
  Result<RunResult> load(const std::string& run) override {
    const auto opened = open_store(options_, false);
    if (!opened) return tl::unexpected(opened.error());
    const auto number = opened->find(run);
    if (!number) return tl::unexpected(number.error());
    auto loaded = opened->load(*number);
    if (!loaded) return tl::unexpected(loaded.error());
    return std::move(loaded->result);
  }

  int status() const { return status_; }

 private:
  const Options& options_;
  const Console& console_;
  Session& session_;
  const std::atomic<bool>& stop_;
  int status_ = kSuccess;
};

}  // namespace

int lua_command(const Options& options, const Console& console) {
  const Result<Source> script = read_source(options.files.front());
  if (!script) return print_error(console, script.error());
  const InterruptGuard interrupt;
  Paths paths = find_paths();
  paths.program = console.program;
  Session session(paths);
  CommandHost host(options, console, session, interrupt.flag());
  script::Options how;
  how.trusted = options.trust;
  how.device = options.device;
  how.seed = options.seed;
  if (options.trust) how.budget = LuaBudget::unlimited();
  how.budget.stop = &interrupt.flag();
  how.budget.on_print = [&console](const std::string& line) {
    print(console.out, line + '\n');
    std::fflush(console.out);
  };
  const Result<void> ran = script::run_script(*script, host, paths, how);
  if (interrupt.interrupted()) return kInterrupted;
  return ran ? host.status() : print_error(console, ran.error());
}

}  // namespace gpx::cli
