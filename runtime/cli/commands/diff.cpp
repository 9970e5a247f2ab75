// gpx diff: which findings and curves of two runs differ. Covered by
// tests/cli/store_commands_test.cpp.
#include "runtime/store/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/picture_file.h"
#include "runtime/cli/run_files.h"
#include "runtime/report/number.h"
#include "runtime/report/ratio.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"
#include "runtime/store/diff_text.h"

namespace gpx::cli {
namespace {

using store::Comparison;
using store::Likeness;

constexpr std::size_t kMostSideBySide = 8;  ///< Of each run.
constexpr std::size_t kMostFigures = 3;     ///< On the terminal.

report::Paint paint_of(Likeness likeness) {
  return likeness == Likeness::different ? report::Paint::bold
         : likeness == Likeness::same    ? report::Paint::plain
                                         : report::Paint::dim;
}

/// "run 3 (complete, on k20 (virtual))", "a.json (on k20 (virtual))"
std::string heading(const report::Run& run) {
  const auto& origin = run.document.origin;
  const std::string status = origin && !origin->status.empty() ? origin->status + ", " : "";
  return fmt::format("{} ({}on {})", run.name, status, report::device_label(run.document.result));
}

/// "1.02"; "" where there are not two numbers.
std::string ratio_text(const Comparison& each) {
  return each.ratio > 0 ? report::brief(each.ratio, 4) : std::string();
}

std::string to_table(const std::vector<Comparison>& all, const report::Style& style) {
  report::Table findings({"experiment", "finding", "first", "second", "ratio", ""});
  report::Table curves({"experiment", "curve", ""});
  for (const Comparison& each : all) {
    const report::Cell verdict{std::string(to_string(each.likeness)), paint_of(each.likeness)};
    if (each.is_curve)
      curves.add({{each.experiment}, {each.what}, verdict});
    else
      findings.add(
          {{each.experiment}, {each.what}, {each.a}, {each.b}, {ratio_text(each)}, verdict});
    report::Table& table = each.is_curve ? curves : findings;
    table.note(each.why);
    if (!each.worst.empty()) table.note(each.worst);
  }
  std::string text;
  if (!findings.empty()) text += findings.render(style, 0) + '\n';
  if (!curves.empty()) text += curves.render(style, 0) + '\n';
  return text;
}

bool counts_clocks(const ExperimentResult& result) {
  const auto of_clocks = [](Unit unit) {
    return unit == Unit::clock || unit == Unit::byte_per_clock || unit == Unit::per_clock;
  };
  return std::ranges::any_of(result.samples.columns, of_clocks, &Column::unit) ||
         std::ranges::any_of(result.findings, [&](const Finding& finding) {
           return of_clocks(unit_of_symbol(finding.unit).value_or(Unit::none));
         });
}

constexpr double kSameClock = 0.01;  ///< Of rates that are told as one.

/// A clock of one device is no clock of another: said once, where clocks are compared.
std::string clock_caution(const RunResult& a, const RunResult& b) {
  for (const ExperimentResult& in_a : a.experiments)
    for (const ExperimentResult& in_b : b.experiments) {
      const double first = in_a.device.clock_hz, second = in_b.device.clock_hz;
      if (in_a.experiment.name != in_b.experiment.name || first <= 0 || second <= 0) continue;
      if (std::abs(first / second - 1) < kSameClock) continue;
      if (!counts_clocks(in_a) || !counts_clocks(in_b)) continue;
      return fmt::format(
          "caution: the first counts clocks of {}, the second of {}: in time a ratio of clocks is "
          "{} times that\n\n",
          report::with_unit(first, "Hz"), report::with_unit(second, "Hz"),
          report::brief(first / second, 4));
    }
  return {};
}

std::string summary(const std::vector<Comparison>& all, bool succeeds) {
  std::array<std::size_t, 3> counts{};
  for (const Comparison& each : all) ++counts[static_cast<std::size_t>(each.likeness)];
  const bool few = std::ranges::none_of(all, &Comparison::apart);
  const char* open = succeeds && counts[1] == 0 && counts[2] > 0 && few
                         ? "a comparison without a decision is status 0: it needs about 10 "
                           "repetitions of each point\n"
                         : "";
  return fmt::format("{} same, {} different, {} cannot tell\n{}", counts[0], counts[1], counts[2],
                     open);
}

bool have_common_experiment(const RunResult& a, const RunResult& b) {
  return std::ranges::any_of(a.experiments, [&](const ExperimentResult& in_a) {
    return std::ranges::any_of(b.experiments, [&](const ExperimentResult& in_b) {
      return in_a.experiment.name == in_b.experiment.name;
    });
  });
}

/// The figures of experiments of which some curve is not the same, each with its ratio.
std::vector<std::pair<report::Group, report::OverlaidFigure>> figures(
    const std::vector<report::Run>& runs, const std::vector<Comparison>& all) {
  std::vector<std::pair<report::Group, report::OverlaidFigure>> shown;
  for (const report::Group& group : report::overlay(runs, kMostSideBySide)) {
    const bool differs = std::ranges::any_of(all, [&](const Comparison& each) {
      return each.is_curve && each.experiment == group.name && each.likeness != Likeness::same;
    });
    if (!differs || group.members.size() != 2 || group.figures.empty()) continue;
    report::OverlaidFigure figure = group.figures.front();
    figure.figure.panels.resize(1);
    report::add_ratio(figure, group);
    shown.emplace_back(group, std::move(figure));
  }
  return shown;
}

struct DiffCommand : Talk {
  std::vector<std::string> names;
  std::string picture;
  bool plot = true, as_json = false, as_markdown = false, as_latex = false;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("RUN", names,
                  "Documents of gpx run or gpx operations --json, or runs of the store")
        .required()
        .count(2, 2)
        .completes(Values::documents);
    line.option("--output,-o", picture, "FILE",
                "A picture of the first figure: .svg, .png, .pdf, .gp or .tex");
    line.flag("--no-plot", plot, "Draw no curves", false);
    const CommandLine::Option json = line.flag("--json", as_json, "The comparison as JSON");
    CommandLine::Option markdown = line.flag("--markdown", as_markdown, "As tables in Markdown");
    markdown.excludes(json);
    line.flag("--tex", as_latex, "As tables in LaTeX").excludes(json).excludes(markdown);
    store.take(line);
  }
  Result<int> run(const Console& console) const;
  /// For other programs; "": for people.
  std::string exported(const std::vector<Comparison>& all, const report::Run& a,
                       const report::Run& b) const;
};

std::string DiffCommand::exported(const std::vector<Comparison>& all, const report::Run& a,
                                  const report::Run& b) const {
  using report::TableFormat;
  if (as_json) return store::diff_json(all, a, b);
  if (as_markdown) return store::diff_table(TableFormat::markdown, all, a, b);
  return as_latex ? store::diff_table(TableFormat::latex, all, a, b) : std::string();
}

/// What people read above the summary: both runs, tables, and the figures that differ.
std::string shown_comparison(
    const std::vector<Comparison>& all, const report::Run& a, const report::Run& b,
    const std::vector<std::pair<report::Group, report::OverlaidFigure>>& drawn, bool plot,
    const report::Style& style) {
  std::string text =
      report::shown_text(fmt::format("first: {}\nsecond: {}\n\n", heading(a), heading(b))) +
      clock_caution(a.document.result, b.document.result) + to_table(all, style);
  for (std::size_t i = 0; plot && i < drawn.size() && i < kMostFigures; ++i)
    text += report::draw(drawn[i].second.figure, style) + '\n';
  return text;
}

Result<int> DiffCommand::run(const Console& console) const {
  PictureOptions wanted;
  wanted.runs = names;
  wanted.store = store;
  const auto runs = GPX_TRY(read_runs(wanted));
  const report::Run &a = runs.at(0), &b = runs.at(1);
  const std::vector<Comparison> all = store::diff(a.document.result, b.document.result);
  const auto drawn = figures(runs, all);
  const bool common = have_common_experiment(a.document.result, b.document.result);
  const std::string made = exported(all, a, b);
  print(console.out, !made.empty()
                         ? made
                         : shown_comparison(all, a, b, drawn, plot && !quiet, console.out_style) +
                               summary(all, common && (picture.empty() || !drawn.empty())));
  if (!common)
    return fail(Fault::input, "the two runs have no experiment in common: nothing was compared",
                "experiments are compared by their names");
  if (!picture.empty()) {
    if (drawn.empty()) return fail(Fault::input, "no curve differs: nothing to draw");
    GPX_TRY(write_picture(picture, report::picture_of(drawn.front().first, drawn.front().second)));
  }
  const bool differ = std::ranges::any_of(
      all, [](const Comparison& each) { return each.likeness == Likeness::different; });
  return differ ? kExpectationFailed : kSuccess;
}

}  // namespace

CommandRow diff_command() {
  return command_row<DiffCommand>(120, "diff",
                                  "Compare two runs: which findings and curves differ");
}

}  // namespace gpx::cli
