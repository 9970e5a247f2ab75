// Recorded: what the analyses of one experiment started from, so that they can run again without a
// device: the device's facts, the samples and the log of probes. It is the stage `probes` of
// --dump and --from.
//
//   probes l2
//   seed 1
//   proof verified
//   fact name Tesla K20
//   fact sm_count 13
//   column threads<tab><tab>axis<tab>number
//   cells 1*3 2*3
//   (the lines of a ProbeLog)
//
// Covered by tests/runtime/recorded_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/analysis/probe_log.h"
#include "runtime/device/info.h"
#include "runtime/measure/samples.h"

namespace gpx {

struct Recorded {
  std::string name;  ///< Of the experiment.
  std::uint64_t seed = 0;
  std::string proof;  ///< Of the timed regions: "verified", "unverified", or "".
  DeviceInfo device;
  Samples samples;
  ProbeLog log;
};

std::string to_string(const Recorded& recorded);

/// The recordings of a text, in order; blank lines are skipped. An error names the line.
Result<std::vector<Recorded>> recordings_in(std::string_view text);

}  // namespace gpx
