// A characterization for people: one table of all findings, group by group.
// Interface: report.h. Covered by tests/report/characterization_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/report/citation.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostKeyed = 8;  ///< Findings of one name but for their keys.

/// Columns are those of characterization_text().
void add_finding(Table& table, const Finding& finding, const DeviceInfo& device, bool peaks) {
  std::vector<Cell> cells = {{"  " + finding.name},
                             {value_text(finding), Paint::bold},
                             {interval_text(finding)},
                             {verdict_text(finding, device), verdict_paint(finding.verdict)}};
  if (peaks) cells.push_back({peak_text(finding, device)});
  cells.push_back({paper_text(finding)});
  table.add(std::move(cells));
  if (!finding.note.empty()) table.note("  " + finding.note);
}

/// Whole sweeps of findings, and how launches ended, are left to --json.
void add_findings(Table& table, const ExperimentResult& experiment, bool peaks) {
  std::map<std::string, std::size_t> keyed, told;
  for (const Finding& finding : experiment.findings)
    if (finding.name.ends_with(']')) ++keyed[unkeyed(finding.name)];
  for (const Finding& finding : experiment.findings) {
    const std::string base = unkeyed(finding.name);
    if (base == "outcome") continue;
    if (!finding.name.ends_with(']') || keyed[base] <= kMostKeyed)
      add_finding(table, finding, experiment.device, peaks);
    else if (told[base]++ == 0)
      table.add(
          {{fmt::format("  {}[…]", base)}, {fmt::format("{} values in --json", keyed[base])}});
  }
}

void add_group(Table& table, const ExperimentResult& group, std::set<std::string>& told,
               bool peaks) {
  const std::string reason = group.failure       ? "failed"
                             : group.interrupted ? "not run: " + group.group->reason
                                                 : std::string();
  table.add(
      {{group.experiment.name, Paint::bold}, {reason, group.failure ? Paint::red : Paint::yellow}});
  if (group.failure) table.note("  " + group.failure->diagnostics.front().message);
  add_findings(table, group, peaks);
  for (const std::string& warning : group.warnings)
    if (told.insert(warning).second) table.note("  " + warning);
}

/// "12 of 15 groups, 8.4 s · 63 modelled, 9 not observed, 2 inconclusive"
std::string summary(const RunResult& result) {
  double all = 0, last = 0;  // One after another, and beside each other where that is known.
  for (const ExperimentResult& group : result.experiments) {
    all += group.group->seconds;
    last = std::max(last, group.group->ended);
  }
  const auto done = std::ranges::count_if(result.experiments, &ExperimentResult::whole);
  const std::string counts = verdict_counts(result);
  return fmt::format("{} of {} groups, {:.1f} s{}{}", done, result.experiments.size(),
                     last > 0 ? last : all, counts.empty() ? "" : " · ", counts);
}

}  // namespace

std::string characterization_text(const RunResult& result, const Style& style) {
  const DeviceInfo& device = result.experiments.front().device;
  const bool peaks = std::ranges::any_of(result.experiments, [](const ExperimentResult& group) {
    return has_peaks(group.findings, group.device);
  });
  std::vector<std::string> columns = {"finding", "value", "interval", "verdict", "paper"};
  if (peaks) columns.insert(columns.end() - 1, "of peak");
  Table table(std::move(columns));
  std::set<std::string> told;
  for (const ExperimentResult& group : result.experiments) add_group(table, group, told, peaks);
  return device_line(device, style) + "\n\n" + table.render(style, 0) + '\n' +
         fit(style, device.name + ": " + summary(result)) + '\n';
}

}  // namespace gpx::report
