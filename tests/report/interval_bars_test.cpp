// Intervals of points in every kind of picture.
#include <doctest/doctest.h>

#include <cmath>

#include "lang/lists.h"
#include "made_results.h"
#include "runtime/report/figures.h"
#include "runtime/report/gnuplot.h"
#include "runtime/report/html.h"
#include "runtime/report/svg.h"
#include "runtime/report/tikz.h"

using namespace gpx;
using namespace gpx::report;

namespace {

/// Three points over threads: ±10, none, from 5 below to infinity.
ExperimentResult three_points() {
  using Role = Column::Role;
  ExperimentResult result = made::kepler();
  const auto column = [](const char* name, Role role, Unit unit, std::vector<double> values) {
    Column made = made::numbers(name, role, unit);
    made.numbers = std::move(values);
    return made;
  };
  result.findings.clear();
  result.experiment.plots.front().y = {"latency"};
  result.experiment.plots.front().by.clear();
  result.experiment.sweep.groups.erase(result.experiment.sweep.groups.begin());
  result.curves.columns = {
      column("threads", Role::axis, Unit::none, {32, 64, 96}),
      column("latency", Role::observed, Unit::clock, {100, 110, 125}),
      column("repetitions", Role::repetition, Unit::none, {2, 1, 2}),
      column("latency_low", Role::interval, Unit::clock, {90, NAN, 120}),
      column("latency_high", Role::interval, Unit::clock, {110, NAN, INFINITY})};
  return result;
}

Picture picture_of_three() {
  std::vector<report::Run> runs(1);
  runs[0].name = "run";
  runs[0].document.result = made::run_of(three_points());
  const std::vector<Group> groups = overlay(runs, 24);
  return picture_of(groups.front(), groups.front().figures.front());
}

}  // namespace

TEST_CASE("a curve has the intervals of its points") {
  const ExperimentResult result = three_points();
  const Figure figure = build_figure(result, result.experiment.plots.front()).figure;
  const Curve& curve = figure.panels.at(0).curves.at(0);
  CHECK(curve.low[0] == 90);
  CHECK(curve.high[0] == 110);
  CHECK(has_bar(curve, 0));
  CHECK_FALSE(has_bar(curve, 1));
  CHECK(has_bar(curve, 2));
  ExperimentResult single = result;  // Of single repetitions, as a model without noise has it.
  for (Column& column : single.curves.columns)
    if (column.role == Column::Role::interval) column.numbers = {100, 110, 125};
  const Figure plain = build_figure(single, single.experiment.plots.front()).figure;
  CHECK(plain.panels.at(0).curves.at(0).low.empty());
}

TEST_CASE("a terminal's plot has a vertical line for an interval") {
  Figure figure;
  figure.x_name = "n";
  figure.panels = {{"latency", "", {{"", {0, 1, 2}, {5, 5, 5}}}, 9, false}};
  const auto marks = [&] {
    const std::string text = draw(figure, {false, false, 60});
    return std::count(text.begin(), text.end(), '*');
  };
  figure.panels[0].curves[0].low = {NAN, 0, NAN};
  figure.panels[0].curves[0].high = {NAN, 10, NAN};
  const auto with = marks();
  figure.panels[0].curves[0].low = {NAN, 5, NAN};
  figure.panels[0].curves[0].high = {NAN, 5, NAN};
  // All nine rows of one column, of which the curve has one; other ticks may take a column.
  CHECK(with >= marks() + 7);
}

TEST_CASE("pictures draw intervals, endless ones up to the border") {
  const Picture picture = picture_of_three();
  const std::string svg = to_svg(picture);
  CHECK(contains(svg, "stroke-opacity"));
  CHECK_FALSE(contains(svg, "inf"));
  CHECK_FALSE(contains(svg, "nan"));
  const std::string tikz = to_tikz(picture);
  CHECK(contains(tikz, "error bars/.cd, y dir=both, y explicit"));
  CHECK(contains(tikz, "(32,100) += (0,10) -= (0,10)"));
  CHECK(contains(tikz, "(64,110) (96,125)"));
  const std::string gnuplot = to_gnuplot(picture, PictureFormat::svg);
  CHECK(contains(gnuplot, "\n32 100 90 110\n64 110 110 110\n96 125 125 125\n"));
  CHECK(contains(gnuplot, "using 1:2:3:4 with yerrorbars"));
}

TEST_CASE("an axis holds the ends of the intervals") {
  const Panel panel = picture_of_three().figure.panels.front();
  const PlotAxis axis = y_axis_of(panel);
  CHECK(axis.position(90) >= 0);
  CHECK(axis.position(90) < axis.position(100));
}

TEST_CASE("the summary says how well the least known value is known") {
  ExperimentResult result = three_points();
  const std::string endless = summary_table(result).render({false, true, 100});
  CHECK(contains(endless, "range"));  // Of two repetitions.
  result.curves.columns[2].numbers = {6, 6, 6};
  CHECK(contains(summary_table(result).render({false, true, 100}), "interval"));
  CHECK(contains(endless, "unbounded"));
  result.curves.columns.back().numbers.back() = 130;
  CHECK(contains(summary_table(result).render({false, true, 100}), "up to ±10 %"));
  result.curves.columns.resize(2);
  CHECK_FALSE(contains(summary_table(result).render({false, true, 100}), "interval"));
}

TEST_CASE("the repetitions of a run are a number or a range with its target") {
  ExperimentResult result = three_points();
  CHECK(repetitions_text(result) == "2 repetitions");
  result.experiment.until_percent = 0.5;
  result.experiment.repeat = 200;
  CHECK(repetitions_text(result) == "1 to 2 repetitions until ±0.5 %");
}
