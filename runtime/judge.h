// Judging: samples to findings, then to what the experiment says about them.
//
// The analyses ask a prober for more than the samples: one over a device, or one over the log of an
// earlier run, which needs no device. Covered by tests/runtime/recorded_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/entry.h"
#include "runtime/paths.h"
#include "runtime/pipeline.h"

namespace gpx {

class Prober;

/// Fills findings, expectations, claims and the log of probes. The analyses count on so much memory
/// of the device.
Result<void> find_and_conclude(ExperimentResult& result, const Source& source, Prober& prober,
                               std::uint64_t memory_bytes, const Paths& paths,
                               const RunOptions& options);
/// What the experiment says about its findings and samples.
void conclude(ExperimentResult& result);

/// The experiments of a text of the stage `probes`. Each line of a recording is left out but for
/// its end, so that lines keep their numbers: a log may be longer than a text of the language.
Source recorded_language(const Source& source);

/// Judges what was recorded. A finding that is not as it was recorded is a warning. The result
/// has failed where an analysis made a request that the log lacks.
Result<ExperimentResult> replay(const Entered& entered, const Source& source, const Paths& paths,
                                const RunOptions& options);

/// The stage `probes`: the experiment's text and what was recorded (runtime/recorded.h).
std::string recorded_text(const ExperimentResult& result);
/// Shows the stages that follow the samples.
void dump_judged(const ExperimentResult& result, const RunOptions& options);

}  // namespace gpx
