// A characterization for people: one table of all findings, group by group.
// Interface: report.h. Covered by tests/report/characterization_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/report/finding_text.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostKeyed = 8;  ///< Findings of one name but for their keys.

std::string base_of(const std::string& name) {
  return name.substr(0, name.find('['));
}

void add_finding(Table& table, const Finding& finding, const DeviceInfo& device) {
  table.add({{"  " + finding.name},
             {value_text(finding), Paint::bold},
             {interval_text(finding)},
             {verdict_text(finding, device), verdict_paint(finding.verdict)},
             {paper_text(finding)}});
  if (!finding.note.empty()) table.note("  " + finding.note);
}

/// Whole sweeps of findings, and how launches ended, are left to --json.
void add_findings(Table& table, const ExperimentResult& experiment) {
  std::map<std::string, std::size_t> keyed, told;
  for (const Finding& finding : experiment.findings)
    if (finding.name.ends_with(']')) ++keyed[base_of(finding.name)];
  for (const Finding& finding : experiment.findings) {
    const std::string base = base_of(finding.name);
    if (base == "outcome") continue;
    if (!finding.name.ends_with(']') || keyed[base] <= kMostKeyed)
      add_finding(table, finding, experiment.device);
    else if (told[base]++ == 0)
      table.add(
          {{fmt::format("  {}[…]", base)}, {fmt::format("{} values in --json", keyed[base])}});
  }
}

void add_group(Table& table, const ExperimentResult& group, std::set<std::string>& told) {
  const std::string reason = group.failure       ? "failed"
                             : group.interrupted ? "not run: " + group.group->reason
                                                 : std::string();
  table.add(
      {{group.experiment.name, Paint::bold}, {reason, group.failure ? Paint::red : Paint::yellow}});
  if (group.failure) table.note("  " + group.failure->diagnostics.front().message);
  add_findings(table, group);
  for (const std::string& warning : group.warnings)
    if (told.insert(warning).second) table.note("  " + warning);
}

std::size_t count(const RunResult& result, Verdict verdict) {
  std::size_t found = 0;
  for (const ExperimentResult& group : result.experiments)
    for (const Finding& finding : group.findings) found += finding.verdict == verdict;
  return found;
}

/// "12 of 15 groups, 8.4 s · 63 modelled, 9 not observed, 2 inconclusive"
std::string summary(const RunResult& result) {
  double all = 0, last = 0;  // One after another, and beside each other where that is known.
  for (const ExperimentResult& group : result.experiments) {
    all += group.group->seconds;
    last = std::max(last, group.group->ended);
  }
  const auto done = std::ranges::count_if(result.experiments, &ExperimentResult::whole);
  return fmt::format("{} of {} groups, {:.1f} s · {} {}, {} not observed, {} inconclusive", done,
                     result.experiments.size(), last > 0 ? last : all,
                     count(result, Verdict::measured),
                     is_virtual(result.experiments.front()) ? "modelled" : "measured",
                     count(result, Verdict::not_observed), count(result, Verdict::inconclusive));
}

}  // namespace

std::string characterization_text(const RunResult& result, const Style& style) {
  const DeviceInfo& device = result.experiments.front().device;
  Table table({"finding", "value", "interval", "verdict", "paper"});
  std::set<std::string> told;
  for (const ExperimentResult& group : result.experiments) add_group(table, group, told);
  return device_line(device, style) + "\n\n" + table.render(style, 0) + '\n' +
         fit(style, device.name + ": " + summary(result)) + '\n';
}

}  // namespace gpx::report
