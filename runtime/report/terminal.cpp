// The terminal report. Covered by tests/report/terminal_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lang/lists.h"
#include "runtime/measure/sampled.h"
#include "runtime/report/figures.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/findings_table.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"
#include "runtime/report/timeline.h"

namespace gpx::report {
namespace {

/// Of all measures; of a shard its own.
std::uint64_t all_points(const ExperimentResult& result) {
  return result.shard.points_of(result.experiment.sweep.points() *
                                result.experiment.measures.size());
}

/// What the timed launches of a kernel from a file find in L2; "": the measures differ in it.
std::string launches_before(const Experiment& experiment) {
  std::string all;
  for (const Measure& measure : experiment.measures) {
    const Expr& warmup = measure.warmup;
    if (!measure.run() || warmup.kind != Expr::Kind::quantity) return {};
    std::string text = fmt::format(" after {}", plural(warmup.quantity.value, "untimed launch"));
    if (measure.flush) text = measure.flush->condition ? "" : ", each after a flush of L2";
    if (&measure != &experiment.measures.front() && text != all) return {};
    all = text;
  }
  return all;
}

std::string run_line(const ExperimentResult& result) {
  const std::uint64_t measures = result.experiment.measures.size();
  std::string line = plural(static_cast<double>(all_points(result)), "point");
  if (!result.shard.is_whole())
    line += fmt::format(" (shard {})", to_string(result.shard));
  else if (measures > 1)
    line +=
        fmt::format(" ({} of the sweep × {} measures)", result.experiment.sweep.points(), measures);
  line += " × " + repetitions_text(result) + launches_before(result.experiment);
  if (is_virtual(result)) line += fmt::format(" · seed {}", result.seed);
  if (!result.compiler.empty()) line += " · " + result.compiler;
  if (!result.proof.empty()) line += " · timed region " + result.proof;
  return line;
}

std::string section(const Style& style, std::string_view title) {
  return '\n' + paint(style, Paint::bold, title) + '\n';
}

constexpr std::size_t kMostExpectations = 20;  ///< Of more only those that fail are listed.

std::string expectations(const ExperimentResult& result, const Style& style, bool all) {
  if (result.expectations.empty()) return {};
  Table table({"", ""});
  std::size_t held = 0;
  for (const ExpectationResult& expectation : result.expectations) {
    if (!all && expectation.pass && result.expectations.size() > kMostExpectations) {
      ++held;
      continue;
    }
    const char* word = expectation.pass ? (expectation.applies ? "pass" : "same")
                                        : (expectation.applies ? "FAIL" : "differs");
    const Paint colour = !expectation.applies ? Paint::dim
                         : expectation.pass   ? Paint::green
                                              : Paint::red;
    table.add({{word, colour}, {expectation.text}});
    table.note(expectation.reason);
  }
  if (held > 0) {
    const char* word = result.expectations.front().applies ? "pass" : "same";
    table.add({{word, Paint::green}, {fmt::format("{} of {}", held, result.expectations.size())}});
  }
  std::string title = "expectations";
  if (!result.expectations.front().applies)
    title +=
        fmt::format(" (written for {}: a comparison here)",
                    result.experiment.device.empty() ? "another device" : result.experiment.device);
  return section(style, fit(style, title)) + table.render(style);
}

std::string claims(const ExperimentResult& result, const Style& style) {
  if (result.claims.empty()) return {};
  Table table({"", "", ""});
  for (const ClaimResult& claim : result.claims) {
    table.add({{claim.supported ? "supported" : "NOT SUPPORTED",
                claim.supported ? Paint::green : Paint::yellow},
               {claim.cite},
               {fmt::format("“{}”", claim.sentence)}});
    table.note(claim.text);
    table.note(claim.reason);
  }
  return section(style, "claims") + table.render(style);
}

/// The error itself is printed whole beside the report: here a listing would hide the results.
std::string first_line(const Error& error) {
  const std::string& message = error.diagnostics.front().message;
  return message.substr(0, message.find('\n'));
}

std::string remarks(const ExperimentResult& result, const Style& style,
                    std::set<std::string>* told) {
  std::string out;
  for (const std::string& line : result.printed) out += "  " + fit(style, line) + '\n';
  for (const std::string& warning : result.warnings)
    if (!told || told->insert(warning).second) out += warning_line(warning, style);
  if (result.failure)
    out += paint(style, Paint::red, "failed: ") + fit(style, first_line(*result.failure)) + '\n';
  if (result.interrupted)
    out += paint(style, Paint::alarm, "interrupted") +
           fit(style, fmt::format(": {} of {} points are done; no findings from half a sweep",
                                  measured_points(result.curves), all_points(result))) +
           '\n';
  else if (!result.shard.is_whole() && !result.failure)
    out += fit(style, fmt::format("shard {}: no findings from a part of the sweep; gpx merge joins "
                                  "the shards",
                                  to_string(result.shard))) +
           '\n';
  return out.empty() ? out : '\n' + out;
}

std::string provenance(const ExperimentResult& result, const Style& style) {
  Table table({"", ""});
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.add({{name, Paint::dim}, {value}});
  };
  add("UUID", result.device.uuid);
  add("before", state_text(result.state_before));
  add("after", state_text(result.state_after));
  add("compiler", result.compiler);
  add("seed", fmt::format("{}", result.seed));
  add("experiment", result.ir);
  add("device file", result.device_file);
  add("gpx build", result.build);
  add("values read", result.values_digest);
  for (const std::string& hash : result.artifacts) add("artifact", hash);
  return section(style, "provenance") + table.render(style);
}

bool mentions(const Expect& expect, const std::string& name) {
  bool found = false;
  for_each_name(expect.condition, [&](const Expr& node) { found = found || node.text == name; });
  return found;
}

/// The findings that the experiment is about: those that its expectations name, without those of
/// single curves; where there are none, all without keys. Words go last: they are the verdict.
struct KeyFindings {
  std::vector<const Finding*> shown;
  std::size_t more = 0;  ///< That are as much of what it is about.
};
KeyFindings key_findings(const ExperimentResult& result) {
  std::vector<const Finding*> named, plain;
  for (const Finding& finding : result.findings) {
    if (finding.name.find('[') != std::string::npos) continue;
    plain.push_back(&finding);
    const auto about = [&](const Expect& expect) { return mentions(expect, finding.name); };
    if (std::any_of(result.experiment.expects.begin(), result.experiment.expects.end(), about))
      named.push_back(&finding);
  }
  std::vector<const Finding*> chosen = named.empty() ? plain : named;
  if (chosen.empty())
    for (const Finding& finding : result.findings) chosen.push_back(&finding);
  // An analysis names what it is about first: the capacity of a cache, not its policy.
  constexpr std::size_t kMost = 5;
  const std::size_t more = chosen.size() > kMost ? chosen.size() - kMost : 0;
  chosen.resize(chosen.size() - more);
  std::stable_partition(chosen.begin(), chosen.end(), [](const Finding* finding) {
    return !std::holds_alternative<std::string>(finding->value);
  });
  return {std::move(chosen), more};
}

/// What a run without findings says at its end: the range of the first observed column.
std::string range_text(const ExperimentResult& result) {
  const std::string points = plural(measured_points(result.curves), "point");
  for (const Column* column : shown_columns(result.curves)) {
    double low = INFINITY, high = -INFINITY;
    for (const double value : column->numbers) {
      low = std::fmin(low, value);
      high = std::fmax(high, value);
    }
    if (low > high) continue;
    const std::string_view unit = unit_symbol(column->unit);
    const std::string range =
        low == high ? with_unit(low, unit) : with_unit(low, unit) + " to " + with_unit(high, unit);
    return fmt::format("{} {} over {}", shown_name(result.curves, *column, result.experiment),
                       range, points);
  }
  const std::size_t rows = result.curves.rows();
  return rows == 0 ? "no samples" : fmt::format("{} of {}", plural(rows, "row"), points);
}

std::size_t failures(const ExperimentResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.expectations.begin(), result.expectations.end(),
                    [](const ExpectationResult& e) { return e.applies && !e.pass; }));
}

}  // namespace

std::string cites_text(const Experiment& experiment) {
  return joined(experiment.cites, "; ", [](const Cite& cite) {
    std::string text = cite.work;
    for (const std::string& id : cite.ids) text += ' ' + id;
    return text;
  });
}

bool expectations_hold(const RunResult& result) {
  return std::all_of(result.experiments.begin(), result.experiments.end(),
                     [](const ExperimentResult& experiment) { return failures(experiment) == 0; });
}

std::string warning_line(const std::string& warning, const Style& style) {
  return paint(style, Paint::yellow, "warning: ") + fit(style, warning) + '\n';
}

std::string heading(const ExperimentResult& result, const Style& style) {
  const Experiment& experiment = result.experiment;
  std::string out = paint(style, Paint::bold, fit(style, experiment.name));
  if (!experiment.title.empty()) out += "  " + fit(style, experiment.title);
  out += '\n';
  const std::string cites = cites_text(experiment);
  out += paint(style, Paint::dim,
               fit(style, cites.empty() ? result.file : result.file + " · " + cites)) +
         '\n';
  if (result.device.name.empty()) return out;  // It failed before a device was there.
  out += device_line(result.device, style) + '\n';
  return out + paint(style, Paint::dim, fit(style, run_line(result))) + '\n';
}

std::string plots(const ExperimentResult& result, const Style& style) {
  std::string out;
  for (const Plot& plot : plots_of(result)) {
    const BuiltFigure built = build_figure(result, plot);
    out += '\n' + draw(built.figure, style);
    if (built.left_out) out += "  and " + plural(built.left_out, "more curve") + "\n";
  }
  if (shows_timeline(result)) out += timelines(result.samples, style);
  return out;
}

std::string findings(const ExperimentResult& result, const Style& style, bool verbose,
                     std::set<std::string>* told) {
  std::string out;
  if (!result.findings.empty())
    out +=
        section(style, "findings") + findings_table(result.findings, result.device, style, verbose);
  // How launches ended says nothing of what was observed.
  const bool analysed = std::ranges::any_of(
      result.findings, [](const Finding& each) { return !each.name.starts_with("outcome"); });
  const Table table = summary_table(result, {.derived_only = analysed, .all = verbose});
  if (!table.empty())
    out += section(style, analysed ? "derived" : "observed") + table.render(style);
  return out + claims(result, style) + expectations(result, style, verbose) +
         (verbose ? provenance(result, style) : "") + remarks(result, style, told);
}

std::string verdict_line(const ExperimentResult& result, const Style& style) {
  const KeyFindings key = key_findings(result);
  std::string verdict =
      joined(key.shown, ", ", [](const Finding* finding) { return short_text(*finding); });
  if (key.more > 0) verdict += fmt::format(" and {} more", key.more);
  if (verdict.empty()) verdict = range_text(result);
  if (result.failure) verdict = "failed; " + verdict;
  if (result.interrupted) verdict = "interrupted; " + verdict;
  std::string where = result.experiment.name;
  if (!result.device.name.empty())
    where +=
        fmt::format(" on {} ({})", result.device.name, is_virtual(result) ? "virtual" : "measured");
  std::string out = fit(style, where + ": ");
  if (const std::size_t failed = failures(result))
    out += paint(style, Paint::red,
                 fmt::format("{} of {} expectations FAIL; ", failed, result.expectations.size()));
  return out + paint(style, Paint::bold, fit(style, verdict)) + '\n';
}

std::string to_terminal(const RunResult& result, const TerminalOptions& options) {
  if (is_characterization(result)) return characterization_text(result, options.style);
  std::string out;
  std::set<std::string> told;
  for (const ExperimentResult& experiment : result.experiments) {
    out += (out.empty() ? "" : "\n") + heading(experiment, options.style);
    if (options.plots) out += plots(experiment, options.style);
    out += findings(experiment, options.style, options.verbose, &told);
  }
  out += '\n';
  for (const ExperimentResult& experiment : result.experiments)
    out += verdict_line(experiment, options.style);
  return out;
}

}  // namespace gpx::report
