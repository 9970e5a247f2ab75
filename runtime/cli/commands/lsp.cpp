// gpx lsp: the language server of an editor. Covered by tests/lsp/serve_test.cpp.
#include <unistd.h>

#include <csignal>

#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/lsp/serve.h"

namespace gpx::cli {
namespace {

struct LspCommand : Talk {
  int run(const Console& console) const {
    std::signal(SIGPIPE, SIG_IGN);  // An editor that is gone is the end, not a crash.
    lsp::Server server(lsp::load_library(find_paths()));
    return lsp::serve(server, fileno(console.in), fileno(console.out));
  }
};

}  // namespace

CommandRow lsp_command() {
  return command_row<LspCommand>(
      190, "lsp", "Serve an editor: the language server, on standard input and output");
}

}  // namespace gpx::cli
