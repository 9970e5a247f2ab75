// gpx lua: a user's script that runs experiments. Covered by tests/cli/lua_command_test.cpp.
#include "runtime/cli/commands/commands.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/script_host.h"

namespace gpx::cli {

int lua_command(const Options& options, const Console& console) {
  const Result<Source> script = read_source(options.files.front());
  if (!script) return print_error(console, script.error());
  const InterruptGuard interrupt;
  Paths paths = find_paths();
  paths.program = console.program;
  Session session(paths);
  ScriptHost host(options, console, session, interrupt.flag());
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
