// A characterization for people: one table of all findings, group by group.
// Interface: report.h. Covered by tests/report/characterization_test.cpp.
#include <fmt/format.h>

#include <map>

#include "runtime/report/finding_text.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

using State = GroupResult::State;

constexpr std::size_t kMostKeyed = 8;  ///< Findings of one name but for their keys.

std::string base_of(const std::string& name) {
  return name.substr(0, name.find('['));
}

void add_finding(Table& table, const Finding& finding) {
  table.add({{"  " + finding.name},
             {value_text(finding), Paint::bold},
             {interval_text(finding)},
             {verdict_text(finding.verdict), verdict_paint(finding.verdict)},
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
      add_finding(table, finding);
    else if (told[base]++ == 0)
      table.add(
          {{fmt::format("  {}[…]", base)}, {fmt::format("{} values in --json", keyed[base])}});
  }
}

void add_group(Table& table, const GroupResult& group) {
  const std::string reason = group.state == State::not_run  ? "not run: " + group.reason
                             : group.state == State::failed ? "failed"
                                                            : std::string();
  table.add({{group.group.name, Paint::bold},
             {reason, group.state == State::failed ? Paint::red : Paint::yellow}});
  if (group.state == State::failed) table.note("  " + group.reason);
  for (const ExperimentResult& experiment : group.run.experiments) {
    add_findings(table, experiment);
    for (const std::string& warning : experiment.warnings) table.note("  " + warning);
  }
}

std::size_t count(const Characterization& result, Verdict verdict) {
  std::size_t found = 0;
  for (const GroupResult& group : result.groups)
    for (const ExperimentResult& experiment : group.run.experiments)
      for (const Finding& finding : experiment.findings) found += finding.verdict == verdict;
  return found;
}

std::size_t count(const Characterization& result, State state) {
  std::size_t found = 0;
  for (const GroupResult& group : result.groups) found += group.state == state;
  return found;
}

/// "12 of 15 groups in 8.4 s · 63 measured, 9 not observed, 2 inconclusive"
std::string summary(const Characterization& result) {
  return fmt::format("{} of {} groups in {:.1f} s · {} measured, {} not observed, {} inconclusive",
                     count(result, State::done), result.groups.size(), result.seconds,
                     count(result, Verdict::measured), count(result, Verdict::not_observed),
                     count(result, Verdict::inconclusive));
}

}  // namespace

std::string to_terminal(const Characterization& result, const Style& style) {
  Table table({"finding", "value", "interval", "verdict", "paper"});
  for (const GroupResult& group : result.groups) add_group(table, group);
  return device_line(result.device, style) + "\n\n" + table.render(style, 0) + '\n' +
         fit(style, result.device.name + ": " + summary(result)) + '\n';
}

}  // namespace gpx::report
