// The probes that findings rest on: in words, and as figures of what they show.
// Covered by tests/report/evidence_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/analysis/finding.h"
#include "runtime/report/plot.h"

namespace gpx::report {

/// "120 to 136: share of tests that evict a line, by the line left out"
std::string probes_text(const ProbeEvidence& evidence);

/// What the probes show, over a logarithmic axis where x grows 64 times; nothing without points.
std::optional<Figure> figure_of(const ProbeEvidence& evidence);

/// Whether some finding names points of the samples on this axis.
bool rests_on(const std::vector<Finding>& findings, const std::string& axis);

/// What several findings rest on, once.
struct SharedEvidence {
  const ProbeEvidence* evidence;
  std::vector<std::string> findings;  ///< Their names.
};
/// All that has points, in the order of the findings, which must outlive it.
std::vector<SharedEvidence> drawn_evidence(const std::vector<Finding>& findings);

}  // namespace gpx::report
