// gpx lua: a user's script that runs experiments. Covered by tests/cli/store_commands_test.cpp.
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/repl/script_host.h"

namespace gpx::cli {
namespace {

struct LuaCommand : Talk {
  std::string file, device = "auto";
  std::uint64_t seed = 1;
  bool trust = false;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("SCRIPT", file, "A Lua file").required().completes(Values::scripts);
    line.option("--device", device, "NAME", "The device of runs that name none")
        .completes(Values::devices);
    take_seed(line, seed);
    line.flag("--trust", trust,
              "Let the script use files, processes and all of Lua, without a budget");
    store.take_writing(line);
  }
  Result<int> run(const Console& console) const;
};

Result<int> LuaCommand::run(const Console& console) const {
  const auto source = GPX_TRY(read_source(file));
  const InterruptGuard interrupt;
  Paths paths = session_paths(console.program);
  Session session(paths);
  ScriptHost host(store, *this, console, session, interrupt.flag());
  script::Options how;
  how.trusted = trust;
  how.device = device;
  how.seed = seed;
  if (trust) how.budget = LuaBudget::unlimited();
  how.budget.stop = &interrupt.flag();
  how.budget.on_print = [&console](const std::string& line) {
    print(console.out, report::shown_text(line) + '\n');
    std::fflush(console.out);
  };
  const Result<void> ran = script::run_script(source, host, paths, how);
  if (interrupt.interrupted()) return kInterrupted;
  GPX_TRY(ran);
  return host.status();
}

}  // namespace

CommandRow lua_command() {
  return command_row<LuaCommand>(170, "lua", "Run a Lua script that runs and compares experiments");
}

}  // namespace gpx::cli
