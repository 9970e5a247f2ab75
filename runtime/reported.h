// What a driver reports about a quantity that an analysis measured, as a note of the finding: a
// share of L2 next to the whole, a rate next to the peak. Only findings that are complete are read;
// no analysis sees these facts. Covered by tests/runtime/reported_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "runtime/analysis/finding.h"
#include "runtime/device/info.h"

namespace gpx {

/// Extends the notes of measured findings:
/// - `l2.whole_capacity`: the reported capacity.
/// - `l2.capacity`, where the whole was not measured and all of the interval lies below the
///   reported capacity: the same, since one SM may reach only its own partition of L2 without
///   crossing.
/// - `memory.bandwidth…` and `bandwidth.dram…` in B/s: the share of the reported peak, in percent.
/// One
///   whose whole interval lies above the peak is inconclusive instead.
/// A fact that is 0 is not reported and changes nothing.
void note_reported(const DeviceInfo& device, std::vector<Finding>& findings);

/// The same share, 1 of the whole peak; nothing of other findings.
std::optional<double> share_of_peak(const DeviceInfo& device, const Finding& finding);

}  // namespace gpx
