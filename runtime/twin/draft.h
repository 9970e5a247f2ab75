// Draft: a device file for the virtual GPU, made of what was measured of a device.
//
// stdlib/twin/make.lua and the tables beside it say which finding gives which field. They see
// findings and what a driver reports, never a device description: a twin of a virtual device is
// made as that of a real one. Covered by tests/twin/draft_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/vgpu/device_file.h"
#include "runtime/pipeline.h"

namespace gpx::twin {

/// Experiments of one device, and the day on which they were measured: "2026-01-31", or "".
struct Measured {
  RunResult run;
  std::string date;
};

/// Another GPU of the same chip, which says what the own runs do not (stdlib/twin/like.lua).
struct Like {
  vgpu::FileContents file;
  std::vector<Measured> runs;  ///< Of it: they show what a fit made of a finding. May be none.
};

/// What the findings do not say, and why.
struct Unknown {
  std::string path;  ///< "noise", "l1.policy"
  std::string why;
};

/// A finding that the tables asked for, or points that a fit did (missing.h).
struct Missing {
  std::string finding;              ///< "rate.unit_word", "fit of stores"
  std::string why;                  ///< "inconclusive: too noisy: ...", "not measured"
  std::vector<std::string> fields;  ///< That asked: "atomics.unit_bits", or a section.
};

struct Draft {
  std::string text;   ///< Of the file: Lua data (docs/devices.md).
  std::string place;  ///< What was measured, and when: "NVIDIA H200, 2026-01-31".
  std::vector<Unknown> unknown;
  unsigned measured = 0, assumed = 0;  ///< Values, by what they are from.
  std::vector<Missing> missing;
};

/// The file of a device that --device and reports call `name`. Of findings of one name the last
/// that was measured counts. Errors: runs of several devices, of none, a `like` of another compute
/// capability, and mistakes of the tables.
Result<Draft> draft(const Paths& paths, const std::vector<Measured>& measured,
                    const std::string& name, const std::optional<Like>& like = {});

/// "h100" of "out/h100.lua": what a file's device is called.
std::string name_of_file(const std::string& path);

}  // namespace gpx::twin
