// Interface: judge.h. Covered by tests/runtime/recorded_test.cpp.
#include "runtime/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "lang/lists.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/outcome.h"
#include "runtime/analysis/recorded_prober.h"
#include "runtime/analysis/sample_value.h"
#include "runtime/build_id.h"
#include "runtime/measure/curves.h"
#include "runtime/reported.h"

namespace gpx {
namespace {

/// What of the findings is not as it was recorded: one warning a finding.
void warn_of_changes(ExperimentResult& result, const std::vector<std::string>& before) {
  const std::vector<std::string>& now = result.probes.findings;
  for (const std::string& one : before)
    if (!contains(now, one)) result.warnings.push_back("recorded: " + one);
  for (const std::string& one : now)
    if (!contains(before, one)) result.warnings.push_back("now: " + one);
}

}  // namespace

void conclude(ExperimentResult& result) {
  std::vector<Finding> judged = result.findings;
  std::ranges::move(sample_values(result.experiment, result.curves), std::back_inserter(judged));
  result.expectations = judge_expectations(result.experiment, judged, result.device);
  result.claims = judge_claims(result.experiment, judged);
}

Result<void> find_and_conclude(ExperimentResult& result, const Source& source, Prober& prober,
                               std::uint64_t memory_bytes, const Paths& paths,
                               const RunOptions& options) {
  result.probes = {};
  result.probes.memory_bytes = memory_bytes;
  RecordingProber recorder(prober, result.probes);
  DeviceInfo device = result.device;
  device.memory_bytes = memory_bytes;
  const std::string folder = std::filesystem::path(source.name()).parent_path().string();
  auto analysis =
      analyze(result.experiment, result.samples, device, {paths.stdlib, folder}, &source, &recorder,
              options.stop, [&](const std::string& line) { result.printed.push_back(line); });
  if (!analysis) return tl::unexpected(analysis.error());
  result.findings = outcome_findings(result.experiment, result.samples);
  std::ranges::move(analysis->findings, std::back_inserter(result.findings));
  std::ranges::move(analysis->refusals, std::back_inserter(result.warnings));
  if (!result.proof.empty())
    for (Finding& finding : result.findings) finding.proof = result.proof;
  for (const Finding& finding : result.findings)
    result.probes.findings.push_back(to_string(finding));
  note_reported(result.device, result.findings);
  for (const std::string& name : attach_paper_values(result.experiment, result.findings))
    result.warnings.push_back(
        fmt::format("no finding is called '{}', which a paper line names", name));
  conclude(result);
  return {};
}

Source recorded_language(const Source& source) {
  std::string text;
  bool recorded = false;
  for (std::string_view rest = source.text(); !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    if (line.starts_with("probes ")) recorded = true;
    if (line.starts_with("experiment ")) recorded = false;
    text += recorded ? "\n" : line;
    rest.remove_prefix(line.size());
  }
  return Source(source.name(), std::move(text));
}

Result<ExperimentResult> replay(const Entered& entered, const Source& source, const Paths& paths,
                                const RunOptions& options) {
  const Recorded& recorded = *entered.recorded;
  ExperimentResult result;
  result.experiment = entered.experiment;
  result.file = source.name();
  result.seed = recorded.seed;
  result.build = build_id();
  result.device = recorded.device;
  result.proof = recorded.proof;
  result.samples = recorded.samples;
  take_all_sms(result.experiment, result.device.sm_count);
  result.points = result.points_total =
      result.experiment.sweep.points() * result.experiment.measures.size();
  result.curves = curves_of(result.experiment, result.samples);
  ReplayProber prober(recorded.log);
  const auto judged = find_and_conclude(result, recorded_language(source), prober,
                                        recorded.log.memory_bytes, paths, options);
  // A script may go on after an error of a probe: what it then concludes was not measured.
  if (prober.lacked()) {
    result.findings.clear();
    result.failure = prober.lacked();
  } else if (!judged) {
    result.interrupted = options.stop && *options.stop;
    if (!result.interrupted) result.failure = judged.error();
  }
  if (result.whole()) warn_of_changes(result, recorded.log.findings);
  dump_judged(result, options);
  return result;
}

std::string recorded_text(const ExperimentResult& result) {
  return to_string(result.experiment) +
         to_string(Recorded{result.experiment.name, result.seed, result.proof, result.device,
                            result.samples, result.probes});
}

void dump_judged(const ExperimentResult& result, const RunOptions& options) {
  const Dump dump(options.dump, options.on_dump);
  dump("probes", [&] { return recorded_text(result); });
  dump("findings", [&] {
    std::string text;
    for (const Finding& finding : result.findings) text += to_string(finding) + '\n';
    return text;
  });
}

}  // namespace gpx
