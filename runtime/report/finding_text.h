// How a finding's parts read: its value with unit, its interval, the paper's value.
// Covered by tests/report/finding_text_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/analysis/finding.h"
#include "runtime/device/info.h"
#include "runtime/report/style.h"

namespace gpx::report {

/// "44 entries", "768 KB", "PRT", "yes", "17, 8, 8"; "–" where there is no value.
std::string value_text(const Finding& finding);

/// "43..45", ">= 8", "<= 45", "44..44" where repetitions did not scatter; "" where none is known.
std::string interval_text(const Finding& finding);
/// The same for a place beside the value: "" where both ends read as one number.
std::string spread_text(const Finding& finding);

/// "44 entries (43..45)"; the value alone where spread_text() has nothing.
std::string value_and_interval(const Finding& finding);

/// "shared.conflict" of "shared.conflict[stride=2]".
std::string unkeyed(const std::string& name);

/// "44..45 (LA9)"; "" where the paper gives none.
std::string paper_text(const Finding& finding);

/// Whether `l2.capacity` is a part of `l2.whole_capacity`, by their intervals. nullptr: not found.
bool is_part_of_l2(const Finding* capacity, const Finding* whole);

/// "97 %" of the peak that the device reports for it; "" where it reports none.
std::string peak_text(const Finding& finding, const DeviceInfo& device);
/// Whether a table of these findings has a column for that.
bool has_peaks(const std::vector<Finding>& findings, const DeviceInfo& device);

std::string verdict_text(Verdict verdict);
/// The same, but "modelled" instead of "measured" of what a model's equations give, and where the
/// device is a model.
std::string verdict_text(const Finding& finding, const DeviceInfo& device);
Paint verdict_paint(Verdict verdict);

/// For the closing line: "outstanding.entries 44 (43..45)", "outstanding.kind PRT",
/// "outstanding.kind not observed".
std::string short_text(const Finding& finding);

}  // namespace gpx::report
