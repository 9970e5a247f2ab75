// Analysis: samples in, findings out, judged by Lua scripts.
//
// A script sees the samples, its arguments and what a driver reports about the device; nothing else
// of the experiment (no expectation, no paper value) and nothing of a virtual device's description.
// docs/analysis.md documents what scripts may call. Covered by tests/runtime/analysis_test.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/experiment.h"
#include "runtime/analysis/finding.h"
#include "runtime/device/info.h"
#include "runtime/measure/samples.h"

namespace gpx {

class Prober;

struct AnalysisPaths {
  std::string stdlib;             ///< Holds analysis/*.lua.
  std::string experiment_folder;  ///< What the path in `analyze "my.lua"` is relative to.
};

struct AnalysisResult {
  std::vector<Finding> findings;  ///< In the order in which the scripts made them.
  /// Of statements that a probe refused to answer: why. What they had found is in `findings`.
  std::vector<std::string> refusals;
};

/// Gets the line of each `print` as it is printed, also of a script that fails or is killed.
using OnPrint = std::function<void(const std::string& line)>;

/// Runs every `analyze` statement in order. `samples` are raw: one row a repetition. Errors: an
/// unknown method (at its place in `source`, if one is given), a script that fails (at its line),
/// a script over its budget, two findings of one name. With a `prober` scripts can ask for further
/// chases on the same device (`probe`); the first one raises the script's budget (lua/probe.h). A
/// limit of the prober ends a script without an error.
///
/// The scripts run in a process of their own (codegen/confined/confined.h): one that does not end
/// is killed, with an error at the line where it was; `stop` raised: at once ("interrupted").
Result<AnalysisResult> analyze(const Experiment& experiment, const Samples& samples,
                               const DeviceInfo& device, const AnalysisPaths& paths,
                               const Source* source = nullptr, Prober* prober = nullptr,
                               const std::atomic<bool>* stop = nullptr,
                               const OnPrint& on_print = {});
/// The same in this process, with no walls but those of the sandbox.
Result<AnalysisResult> analyze_here(const Experiment& experiment, const Samples& samples,
                                    const DeviceInfo& device, const AnalysisPaths& paths,
                                    const Source* source = nullptr, Prober* prober = nullptr,
                                    const OnPrint& on_print = {});

/// An error where the script at `path` cannot be read or is no Lua. Nothing of it runs.
Result<void> parse_analysis(const std::string& path);

/// The names that `analyze` knows: the modules of stdlib/analysis, sorted.
std::vector<std::string> analysis_methods(const std::string& stdlib);

}  // namespace gpx
