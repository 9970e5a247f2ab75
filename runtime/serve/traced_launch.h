// Traced launch: the last launch of a virtual GPU's trace, small enough for a page to draw.
// Pure: text in, JSON out. Covered by tests/serve/traced_launch_test.cpp.
#pragma once

#include <string>

#include "runtime/lsp/messages.h"

namespace gpx::serve {

/// `trace`: what `gpx run --trace` writes, an event a line (docs/vgpu.md). Times are clocks from
/// the launch's begin:
/// {"launch": {"number", "clocks"}, "timed": [from, to] or null, "lanes_left_out",
///  "events_left_out", "lanes": [{"sm", "slot", "events": [[name, unit, at, clocks], ...]}]}
///
/// `timed` lies between the first and the last clock read of the shown warps. Up to 16 warp slots
/// are shown, in the order in which their warps start, and up to 6000 events: those around the
/// timed region first, where there is one.
lsp::Json traced_launch(const std::string& trace);

}  // namespace gpx::serve
