#include "runtime/report/overlay.h"

#include <doctest/doctest.h>

#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

namespace {

report::Run run_of(const std::string& name, std::vector<ExperimentResult> results) {
  report::Run run;
  run.name = name;
  run.document.result.experiments = std::move(results);
  return run;
}

ExperimentResult on_h100() {
  ExperimentResult result = made::kepler();
  result.device.name = "H100";
  result.device.measured = true;
  return result;
}

Finding saturation(double value, double from, double to) {
  Finding finding;
  finding.name = "outstanding.saturation[n=2]";
  finding.value = value;
  finding.unit = "threads";
  finding.low = value;
  finding.high = value + 1;
  finding.verdict = Verdict::measured;
  finding.evidence = {{{"n", Quantity{2, Unit::none}}, {"threads", Quantity{from, Unit::none}}},
                      {{"n", Quantity{2, Unit::none}}, {"threads", Quantity{to, Unit::none}}}};
  return finding;
}

std::vector<Mark> marks_with(const Finding& finding) {
  ExperimentResult result = made::kepler();
  result.findings = {finding};
  return marks_of(result, result.experiment.plots.front());
}

}  // namespace

TEST_CASE("curves of the same plot are in one figure, told apart by their device") {
  const std::vector<report::Run> runs = {run_of("a.json", {made::kepler()}),
                                         run_of("b.json", {on_h100()})};
  const std::vector<Group> groups = overlay(runs, 8);
  REQUIRE(groups.size() == 1);
  const Group& group = groups.front();
  REQUIRE(group.members.size() == 2);
  CHECK(group.members[0].label == "k20 (virtual)");
  CHECK(group.members[1].label == "H100");
  REQUIRE(group.figures.size() == 1);
  const Panel& latency = group.figures[0].figure.panels.front();
  REQUIRE(latency.curves.size() == 6);
  CHECK(latency.curves[0].label == "k20 (virtual): n=1");
  CHECK(latency.curves[0].run == 0);
  CHECK(latency.curves[3].label == "H100: n=1");
  CHECK(latency.curves[3].run == 1);
}

TEST_CASE("a single run's curves have plain labels") {
  const std::vector<report::Run> runs = {run_of("a.json", {made::kepler()})};
  const std::vector<Group> groups = overlay(runs, 8);
  CHECK(groups.front().figures.front().figure.panels.front().curves.front().label == "n=1");
}

TEST_CASE("two runs on one device are told apart by their names, two of one name by number") {
  const std::vector<report::Run> runs = {run_of("a.json", {made::kepler()}),
                                         run_of("b.json", {made::kepler()}),
                                         run_of("b.json", {made::kepler()})};
  const std::vector<Group> groups = overlay(runs, 8);
  REQUIRE(groups.front().members.size() == 3);
  CHECK(groups.front().members[0].label == "k20 (virtual), a.json");
  CHECK(groups.front().members[1].label == "k20 (virtual), b.json #1");
  CHECK(groups.front().members[2].label == "k20 (virtual), b.json #2");
}

TEST_CASE("a panel without a value is left out, and a figure without a panel") {
  ExperimentResult result = made::kepler();
  result.curves.columns[3].numbers.assign(result.curves.rows(), NAN);
  const std::vector<report::Run> some = {run_of("a", {result})};
  REQUIRE(overlay(some, 8).front().figures.size() == 1);
  CHECK(overlay(some, 8).front().figures.front().figure.panels.size() == 1);
  result.curves.columns[2].numbers.assign(result.curves.rows(), NAN);
  const std::vector<report::Run> none = {run_of("a", {result})};
  CHECK(overlay(none, 8).front().figures.empty());
}

TEST_CASE("experiments of other names and plots of other units stay apart") {
  ExperimentResult other = made::kepler();
  other.experiment.name = "other";
  ExperimentResult bytes = made::kepler();
  bytes.curves.columns[1].unit = Unit::byte;
  const std::vector<report::Run> runs = {run_of("a", {made::kepler(), other}),
                                         run_of("b", {bytes})};
  const std::vector<Group> groups = overlay(runs, 8);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].members.size() == 2);
  CHECK(groups[0].figures.size() == 2);
  CHECK(groups[1].figures.size() == 1);
}

TEST_CASE("two plots of one run with the same axes are two figures") {
  ExperimentResult twice = made::kepler();
  twice.experiment.plots.push_back(twice.experiment.plots.front());
  const std::vector<report::Run> runs = {run_of("a", {twice}), run_of("b", {twice})};
  const std::vector<Group> groups = overlay(runs, 8);
  REQUIRE(groups.front().figures.size() == 2);
  for (const OverlaidFigure& figure : groups.front().figures)
    CHECK(figure.figure.panels.front().curves.size() == 6);
}

TEST_CASE("words of several runs share an axis") {
  const auto with_words = [](std::vector<std::string> words) {
    ExperimentResult result = made::kepler();
    result.experiment.sweep.groups.clear();
    result.experiment.plots.front().x = "state";
    result.experiment.plots.front().y = {"latency"};
    result.curves.columns = {{"state", Unit::none, Column::Role::axis, true, {}, words},
                             {"latency", Unit::clock, Column::Role::observed, false, {1, 2}, {}}};
    return result;
  };
  const std::vector<report::Run> runs = {run_of("a", {with_words({"warm", "cold"})}),
                                         run_of("b", {with_words({"cold", "hot"})})};
  const std::vector<Group> groups = overlay(runs, 8);
  REQUIRE(groups.front().figures.size() == 1);
  const Figure& figure = groups.front().figures.front().figure;
  CHECK(figure.x_words == std::vector<std::string>{"warm", "cold", "hot"});
  CHECK(figure.panels.front().curves[0].x == std::vector<double>{0, 1});
  CHECK(figure.panels.front().curves[1].x == std::vector<double>{1, 2});
}

TEST_CASE("curves over the limit are counted for each run") {
  const std::vector<report::Run> runs = {run_of("a", {made::kepler()}), run_of("b", {on_h100()})};
  const std::vector<Group> groups = overlay(runs, 2);
  const OverlaidFigure& figure = groups.front().figures.front();
  CHECK(figure.figure.panels.front().curves.size() == 4);
  CHECK(figure.left_out == 2);
}

TEST_CASE("a saturation is marked on the axis that it lies on") {
  const std::vector<Mark> marks = marks_with(saturation(700, 672, 704));
  REQUIRE(marks.size() == 1);
  CHECK(marks[0].x == 700);
  CHECK(marks[0].low == 700);
  CHECK(marks[0].high == 701);
  CHECK(marks[0].text == "outstanding.saturation[n=2] 700 threads (700..701)");
}

TEST_CASE("what does not lie on the axis is not marked") {
  Finding slope = saturation(200, 32, 1024);
  slope.unit = "clocks/request";
  CHECK(marks_with(slope).empty());  // A number of another unit, by chance in the range.
  CHECK(marks_with(saturation(900, 672, 704)).empty());  // Not between its points.
  Finding open = saturation(700, 672, 704);
  open.verdict = Verdict::inconclusive;
  CHECK(marks_with(open).empty());
  Finding elsewhere = saturation(700, 672, 704);
  for (auto& point : elsewhere.evidence) point.back().first = "blocks";
  CHECK(marks_with(elsewhere).empty());
  Finding word = saturation(700, 672, 704);
  word.value = std::string("PRT");
  CHECK(marks_with(word).empty());
}

TEST_CASE("a step between neighbours is marked whatever its unit is called") {
  Finding step = saturation(3, 672, 704);
  step.unit = "loads";
  step.value = 690.0;
  CHECK(marks_with(step).size() == 1);
}

TEST_CASE("a capacity without points is marked on an axis of sizes alone") {
  Finding capacity;
  capacity.name = "l1.capacity";
  capacity.value = 512.0;
  capacity.unit = "B";
  capacity.verdict = Verdict::measured;
  ExperimentResult result = made::kepler();
  result.findings = {capacity};
  Column& x = result.curves.columns[1];
  x.unit = Unit::byte;
  Plot plot;
  for (const char* name : {"size", "stride"}) {
    x.name = plot.x = name;
    CHECK(marks_of(result, plot).size() == (plot.x == "size" ? 1 : 0));
  }
}
