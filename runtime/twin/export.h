// A device file in other forms: JSON, Markdown, and the options of other simulators.
//
// Options are those of accel-sim/gpgpu-sim_distribution at commit 3813997d (gpgpusim.config of
// SM90_H100) and of accel-sim/accel-sim-framework at commit 46b467f3 (trace.config). Latencies are
// defined as in that framework's tuner: L1 as measured, L2 less L1, memory less L2. Each option
// stands below the fields that it is from, with what they are from. Options that no field gives are
// not written: those of the simulator's tested configuration stay. Covered by
// tests/twin/export_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/vgpu/device_file.h"

namespace gpx::twin {

/// "json", "markdown", "accelsim", "gpgpusim"
std::vector<std::string> export_formats();

/// Errors: another format.
Result<std::string> exported(const vgpu::FileContents& file, const std::string& format);

}  // namespace gpx::twin
