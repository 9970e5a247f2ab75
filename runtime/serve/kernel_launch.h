// KernelLaunch: how a cell launches a kernel from a file, as the options of `gpx predict`.
// Covered by tests/serve/serve_test.py.
#pragma once

#include <string>

#include "lang/experiment.h"
#include "runtime/lsp/messages.h"

namespace gpx::serve {

/// {"entry", "grid", "block", "registers", "shared", "arg", "buffer", "define"} at the first point
/// of the sweep, with evaluated numbers; what no option of `gpx predict` can give is left out.
/// null: no measure runs a kernel from `file`.
lsp::Json kernel_launch(const Experiment& experiment, const std::string& file);

}  // namespace gpx::serve
