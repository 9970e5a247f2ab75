// Expectations and claims, judged by the findings of a run.
// Covered by tests/runtime/expectation_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/analysis/finding.h"
#include "runtime/device/info.h"

namespace gpx {

/// `expect …`. On another device than the experiment names, `applies` is false: the line is shown
/// as a comparison and does not fail the run.
struct ExpectationResult {
  std::string text;
  bool applies = true;
  bool pass = false;
  std::string reason;  ///< Why it failed: the finding as it is; empty where it passed.
};

/// `claim …`: a sentence of a source, supported by the findings or not.
struct ClaimResult {
  std::string sentence;
  std::string text;  ///< The condition.
  std::string cite;
  bool supported = false;
  std::string reason;  ///< What the findings say instead.
};

/// `findings` have the numbers of samples that the experiment names, too
/// (runtime/analysis/sample_value.h).
/// `X within a..b` on a finding with an interval holds where the whole interval lies inside.
/// Comparisons of a finding that was not measured fail, with the verdict as the reason.
std::vector<ExpectationResult> judge_expectations(const Experiment& experiment,
                                                  const std::vector<Finding>& findings,
                                                  const DeviceInfo& device);
std::vector<ClaimResult> judge_claims(const Experiment& experiment,
                                      const std::vector<Finding>& findings);

/// Puts each `paper` line of the experiment beside the finding it names.
/// Returns the names that no finding has.
std::vector<std::string> attach_paper_values(const Experiment& experiment,
                                             std::vector<Finding>& findings);

}  // namespace gpx
