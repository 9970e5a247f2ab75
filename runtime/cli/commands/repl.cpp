// gpx repl: sets the REPL up for a terminal or a pipe. Covered by tests/cli/repl_test.cpp.
#include "runtime/cli/repl/repl.h"

#include <optional>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/run_options.h"

namespace gpx::cli {

int repl_command(const Options& options, const Console& console) {
  Result<RunOptions> run = run_options(options);
  if (!run) return print_error(console, run.error());
  Paths paths = find_paths();
  paths.program = console.program;
  Repl repl(console, paths, std::move(*run), options);
  if (!console.in_is_terminal) return repl.run(*make_stream_reader(console.in));
  const IgnoredInterrupts between_lines;
  if (!options.quiet) {
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

}  // namespace gpx::cli
