// Pictures as text of LaTeX.
#include "runtime/report/tikz.h"

#include <doctest/doctest.h>

#include "golden.h"
#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

TEST_CASE("a picture is an axis for each panel, with units, curves and a legend") {
  ExperimentResult result = made::kepler();
  for (Column& column : result.curves.columns) column.numbers.resize(3);
  std::vector<report::Run> runs(1);
  runs[0].name = "run";
  runs[0].document.result = made::run_of(std::move(result));
  const std::vector<Group> groups = overlay(runs, 24);
  const Picture picture = picture_of(groups.front(), groups.front().figures.front());
  check_golden("kepler.tex", to_tikz(picture));
}

TEST_CASE("no text of an experiment is a command of LaTeX") {
  CHECK(latex_escaped("50 % of a_b & \\input{x}~^#$") ==
        "50 \\% of a\\_b \\& \\textbackslash{}input\\{x\\}\\textasciitilde{}"
        "\\textasciicircum{}\\#\\$");
  CHECK(latex_escaped("a < b > c | d") == "a \\textless{} b \\textgreater{} c \\textbar{} d");
}

TEST_CASE("what cannot be shown is nan, and a zero has no logarithm") {
  Picture picture;
  picture.figure.x_name = "n";
  picture.figure.log_x = true;
  picture.figure.panels.push_back({"latency", "", {{"", {0, 1, 2}, {4, NAN, 5}, 0}}});
  const std::string text = to_tikz(picture);
  CHECK(text.find("(1,nan) (2,5)") != std::string::npos);
  CHECK(text.find("(0,") == std::string::npos);
}
