// The ratio of two runs beneath both of them.
#include "runtime/report/ratio.h"

#include <doctest/doctest.h>

#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

namespace {

std::vector<report::Run> runs_of(ExperimentResult a, ExperimentResult b) {
  std::vector<report::Run> runs(2);
  runs[0].name = "a";
  runs[1].name = "b";
  runs[0].document.result = made::run_of(std::move(a));
  runs[1].document.result = made::run_of(std::move(b));
  return runs;
}

}  // namespace

TEST_CASE("the ratio is the second run's value over the first one's, curve by curve") {
  ExperimentResult first = made::kepler(), second = made::kepler();
  for (double& y : second.curves.columns[2].numbers) y *= 1.5;
  const auto runs = runs_of(first, second);
  const std::vector<Group> groups = overlay(runs, 24);
  OverlaidFigure figure = groups.front().figures.front();
  const std::size_t curves = figure.figure.panels.front().curves.size();
  const std::size_t before = figure.figure.panels.size();
  add_ratio(figure, groups.front());
  REQUIRE(figure.figure.panels.size() == before + 1);
  const Panel& panel = figure.figure.panels.back();
  CHECK(panel.name == "second / first");
  CHECK(2 * panel.curves.size() == curves);
  for (const Curve& curve : panel.curves)
    for (const double ratio : curve.y) CHECK(ratio == doctest::Approx(1.5));
}

TEST_CASE("runs that share no curve have no ratio") {
  const auto runs = runs_of(made::kepler(), made::kepler());
  const std::vector<Group> groups = overlay(runs, 24);
  OverlaidFigure figure = groups.front().figures.front();
  std::erase_if(figure.figure.panels.front().curves,
                [](const Curve& curve) { return curve.run == 1; });
  const std::size_t before = figure.figure.panels.size();
  add_ratio(figure, groups.front());
  CHECK(figure.figure.panels.size() == before);
}
