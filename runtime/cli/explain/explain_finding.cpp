// gpx explain --finding: how a finding of a run was found. Covered by
// tests/cli/explain_command_test.cpp.
#include "runtime/cli/explain/explain_finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lang/diagnostic.h"
#include "runtime/cli/help/library_help.h"
#include "runtime/report/evidence.h"
#include "runtime/report/finding_text.h"

namespace gpx::cli {
namespace {

bool is_named(const Finding& finding, const std::string& name) {
  return finding.name == name || finding.name.starts_with(name + '[');
}

/// "  label    text", broken to the width of the terminal.
class Lines {
 public:
  explicit Lines(const report::Style& style) : style_(style) {}

  void add(const std::string& label, const std::string& text) {
    if (text.empty()) return;
    std::string begin = "  " + report::pad(label, kLabel);
    const int room = std::max(style_.width - kLabel - 2, 40);
    for (const std::string& line : report::wrap(report::shown_text(text), room)) {
      text_ += begin + line + '\n';
      begin = std::string(kLabel + 2, ' ');
    }
  }
  /// Probes, with what they show as a figure.
  void add(const ProbeEvidence& evidence) {
    add("probes", report::probes_text(evidence));
    if (const auto figure = report::figure_of(evidence))
      text_ += '\n' + report::draw(*figure, style_) + '\n';
  }
  void heading(const std::string& text) {
    text_ += report::paint(style_, report::Paint::bold, text) + '\n';
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr int kLabel = 13;
  const report::Style& style_;
  std::string text_;
};

std::string point_of(const std::vector<std::pair<std::string, Value>>& keys) {
  std::vector<std::string> parts;
  for (const auto& [column, value] : keys) parts.push_back(column + '=' + to_string(value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "the analysis records none: gpx help bandwidth describes its method"
std::string no_steps(const Experiment& experiment) {
  if (experiment.analyses.empty()) return "the document has none";
  std::vector<std::string> names;
  for (const Analyze& analyze : experiment.analyses)
    names.push_back(analyze.is_file ? analyze.method : "gpx help " + analyze.method);
  return fmt::format("the analysis records none: {} describes its method", fmt::join(names, ", "));
}

void add(Lines& lines, const Finding& finding, const ExperimentResult& of, const std::string& run) {
  lines.heading(finding.name);
  lines.add("value", report::value_text(finding));
  lines.add("interval", report::interval_text(finding));
  if (finding.confidence) lines.add("confidence", fmt::format("{:g}", *finding.confidence));
  lines.add("verdict", report::verdict_text(finding, of.device));
  lines.add("paper", report::paper_text(finding));
  lines.add("note", finding.note);
  for (std::size_t i = 0; i < finding.steps.size(); ++i)
    lines.add(fmt::format("step {}", i + 1), finding.steps[i]);
  if (finding.steps.empty()) lines.add("steps", no_steps(of.experiment));
  for (const auto& keys : finding.evidence) lines.add("point", point_of(keys));
  for (const ProbeEvidence& one : finding.probes) lines.add(one);
  lines.add("from", fmt::format("{}, experiment {} on {}, seed {}", run, of.experiment.name,
                                of.device.name, of.seed));
  lines.add("timed region", finding.proof.value_or(""));
  for (const Analyze& analyze : of.experiment.analyses) lines.add("analysis", to_string(analyze));
}

}  // namespace

Result<void> explain_finding(const std::string& name, const report::Run& run,
                             const Console& console) {
  Lines lines(console.out_style);
  std::vector<std::string> names;
  bool any = false;
  for (const ExperimentResult& of : run.document.result.experiments) {
    for (const Finding& finding : of.findings) {
      names.push_back(finding.name);
      if (!is_named(finding, name)) continue;
      add(lines, finding, of, run.name);
      any = true;
    }
  }
  if (!any) {
    const auto near = nearest(name, names);
    return fail(Fault::input, fmt::format("{} has no finding '{}'", run.name, name),
                near            ? fmt::format("did you mean '{}'?", *near)
                : names.empty() ? "it has none: an experiment with 'analyze' has findings"
                                : "gpx export --findings csv lists those of a run");
  }
  print(console.out, lines.text());
  const std::string help = library_help(name, console.out_style);
  if (!help.empty()) print(console.out, '\n' + help);
  return {};
}

}  // namespace gpx::cli
