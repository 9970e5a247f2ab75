// gpx repl: sets the REPL up for a terminal or a pipe. Covered by tests/cli/repl_test.cpp.
#include "runtime/cli/repl/repl.h"

#include <optional>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_options.h"
#include "runtime/device/select.h"
#include "runtime/library.h"

namespace gpx::cli {
namespace {

struct ReplCommand : Talk {
  ExperimentOptions experiment;
  StoreOptions store;

  void take(CommandLine& line) {
    experiment.take(line);
    const CommandLine::Option silent =
        line.flag("--quiet,-q", quiet, "No greeting, no reports and no progress");
    line.flag("--verbose,-v", verbose, "All expectations and provenance").excludes(silent);
    store.take_writing(line);
  }
  Result<int> run(const Console& console) const;
};

Result<int> ReplCommand::run(const Console& console) const {
  auto options = GPX_TRY(run_options(experiment));
  Paths paths = session_paths(console.program);
  if (options.device != "auto") GPX_TRY(resolve_device(options.device, {}, paths));
  if (const auto whole = require_library(paths); !whole)
    print(console.err, "warning: " + whole.error().diagnostics.front().message + "\n");
  Repl repl(console, paths, std::move(options), store, *this);
  if (!console.in_is_terminal) return repl.run(*make_stream_reader(console.in));
  const IgnoredInterrupts between_lines;
  if (!quiet) {
    print(console.out, "gpx " GPX_VERSION ", :help for help, Ctrl-D to leave\n");
    repl.greet();
  }
  std::optional<lsp::Library> library;  // Read when Tab is pressed for the first time.
  return repl.run(*make_terminal_reader(console.in, console.out, console.err, history_path(),
                                        [&](const std::string& before) {
                                          if (!library) library = lsp::load_library(paths);
                                          return complete(before, *library, repl.names());
                                        }));
}

}  // namespace

CommandRow repl_command() {
  return command_row<ReplCommand>(180, "repl", "Type experiments and see their results");
}

}  // namespace gpx::cli
