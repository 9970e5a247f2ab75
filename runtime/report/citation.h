// Citation: what a reader needs to cite runs and to repeat them: a sentence for a reference list,
// the counts of verdicts, the device's state while it was measured, and the cited works in full.
// Covered by tests/report/citation_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/overlay.h"

namespace gpx::report {

/// "650 modelled, 38 not observed, 3 inconclusive"; "" where there is no finding.
std::string verdict_counts(const RunResult& result);

/// "SM 1965 to 1980 MHz, 41 to 52 °C": the least and the greatest reading before and after all
/// experiments of a run; "" where the device reports none.
std::string state_range(const RunResult& result);

/// "gpx 0.1.0, build 1b2c3d4e5f60": the version that measured, and the hash of its sources where
/// the run has it.
std::string program_text(const RunResult& result);

/// "Characterization of the virtual GPU k20 (a model, not a measurement); gpx 0.1.0, build …; seed
/// 1." A real device has its driver and clock, the date and the run's id. "" without experiments.
std::string citation(const Run& run);

/// A work that experiments cite.
struct Work {
  std::string_view name;    ///< "lashgar2015"
  std::string_view prefix;  ///< Of the rows that are cited from it: "LA" of LA9.
  std::string_view text;    ///< Authors, title, place and year.
};
/// All that are known.
const std::vector<Work>& works();
/// Those that the runs' experiments cite, or whose values stand next to their findings.
std::vector<Work> works_of(const std::vector<Run>& runs);

}  // namespace gpx::report
