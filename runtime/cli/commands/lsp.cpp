// gpx lsp: the language server of an editor. Covered by tests/lsp/serve_test.cpp.
#include <unistd.h>

#include <csignal>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/output/files.h"
#include "runtime/lsp/serve.h"

namespace gpx::cli {

int lsp_command(const Options&, const Console& console) {
  std::signal(SIGPIPE, SIG_IGN);  // An editor that is gone is the end, not a crash.
  lsp::Server server(lsp::load_library(find_paths()));
  return lsp::serve(server, fileno(console.in), fileno(console.out));
}

}  // namespace gpx::cli
