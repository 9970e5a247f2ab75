// A language server on two file descriptors, until the client says exit or goes away.
// Covered by tests/lsp/serve_test.cpp.
#pragma once

#include "runtime/lsp/server.h"

namespace gpx::lsp {

/// 0: the client said shutdown and exit. 1: it went away, or said exit alone. 3: the output cannot
/// be written. What is wrong is told once no further message waits, not for each key stroke.
int serve(Server& server, int in, int out);

}  // namespace gpx::lsp
