#include "runtime/report/plot.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "golden.h"
#include "lang/lists.h"
#include "runtime/report/number.h"

using gpx::contains;
using namespace gpx::report;

namespace {

Figure step_figure() {
  Figure figure;
  figure.x_name = "size";
  figure.x_unit = "B";
  Panel panel{"latency", "clocks", {}, 6, false};
  for (const double miss : {100.0, 300.0}) {
    Curve curve;
    curve.label = miss < 200 ? "warm" : "flushed";
    for (double kb = 1; kb <= 64; ++kb) {
      curve.x.push_back(kb * 1024);
      curve.y.push_back(kb <= 32 ? 50 : miss);
    }
    panel.curves.push_back(curve);
  }
  figure.panels = {panel};
  return figure;
}

}  // namespace

TEST_CASE("a step in two curves reads as its golden") {
  check_golden("plot_step.txt", draw(step_figure(), {false, true, 70}));
  check_golden("plot_step_ascii.txt", draw(step_figure(), {false, false, 70}));
}

TEST_CASE("no line of a plot is wider than the terminal") {
  for (const int width : {40, 60, 79, 120}) {
    const std::string text = draw(step_figure(), {false, true, width});
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      CHECK(display_width(text.substr(at, end - at)) <= width);
      at = end + 1;
    }
  }
}

TEST_CASE("labels that would take half of the width stand beneath the plot, whole") {
  Figure figure = step_figure();
  const std::string warm = "operand=wgmma.m64n128k16.f32.f16.ss, warps=16, state=warm";
  const std::string flushed = "operand=wgmma.m64n128k16.f32.f16.ss, warps=16, state=flushed";
  figure.panels[0].curves[0].label = warm;
  figure.panels[0].curves[1].label = flushed;
  Panel second = figure.panels[0];
  second.name = "time";
  figure.panels.push_back(second);
  const std::string text = draw(figure, {false, true, 80});
  CHECK(contains(text, "  a  " + warm + "\n  b  " + flushed + "\n"));
  CHECK(text.find(warm) == text.rfind(warm));  // Once for both panels.
  CHECK(contains(text, " b\n"));
  for (const int width : {60, 80, 100}) {
    std::istringstream lines(draw(figure, {false, true, width}));
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
  }
  // Beside the plot where there is room.
  const std::string wide = draw(figure, {false, true, 140});
  CHECK(contains(wide, " " + warm + "\n"));
  CHECK_FALSE(contains(wide, "  a  " + warm));
}

TEST_CASE("ticks have the micro sign where the terminal has one") {
  Figure figure;
  figure.x_name = "time";
  figure.x_unit = "s";
  figure.panels = {{"latency", "clocks", {{"", {1e-6, 2e-6, 3e-6}, {1, 2, 3}}}, 6, false}};
  CHECK(contains(draw(figure, {false, true, 70}), "2 µs"));
  CHECK(contains(draw(figure, {false, false, 70}), "2 us"));
}

TEST_CASE("a panel without a finite point says so and the other is drawn") {
  Figure figure = step_figure();
  Panel empty{"variance", "", {{"", {1024, 2048}, {NAN, INFINITY}}}, 6, false};
  figure.panels.push_back(empty);
  const std::string text = draw(figure, {false, true, 70});
  CHECK(contains(text, "variance\n    no finite value\n"));
  CHECK(contains(text, "latency (clocks)"));
  CHECK(draw(Figure{}, {false, true, 70}) == "  nothing to plot: no finite point\n");
}

TEST_CASE("words on the x axis stand beneath their points") {
  Figure figure;
  figure.x_name = "op";
  figure.x_words = {"add", "mul", "div"};
  figure.panels = {{"latency", "clocks", {{"", {0, 1, 2}, {24, 96, 317}}}, 6, false}};
  const std::string text = draw(figure, {false, true, 60});
  CHECK(contains(text, "add"));
  CHECK(contains(text, "mul"));
  CHECK(contains(text, "div"));
}

TEST_CASE("a log axis leaves out what it cannot show") {
  Figure figure;
  figure.x_name = "size";
  figure.log_x = true;
  figure.panels = {{"latency", "", {{"", {0, 1, 10, 100}, {1, 2, 3, 4}}}, 6, true}};
  const std::string text = draw(figure, {false, true, 60});
  CHECK(contains(text, "10"));
  CHECK(contains(text, "100"));
}

TEST_CASE("whole numbers on x have no ticks between them") {
  Figure figure;
  figure.x_name = "n";
  figure.panels = {{"latency", "clocks", {{"", {1, 2, 3}, {467, 485, 503}}}, 6, false}};
  const std::string text = draw(figure, {false, true, 100});
  CHECK(contains(text, " 2 "));
  CHECK_FALSE(contains(text, "1.5"));
}

TEST_CASE("few points of x have the ticks, unless their labels would meet") {
  struct Row {
    std::vector<double> points;
    std::vector<double> ticks;
  };
  const Row rows[] = {
      {{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 32}},
      {{1, 2, 1000}, {200, 400, 600, 800, 1000}},
      {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 4, 6, 8}},
  };
  for (const Row& row : rows) {
    Figure figure;
    figure.panels = {{"latency", "clocks", {{"", row.points, row.points}}}};
    PlotAxis axis = make_axis(row.points.front(), row.points.back(), 5, false, "", false);
    tick_at_points(axis, figure, 90);
    CHECK(axis.ticks == row.ticks);
  }
}

TEST_CASE("the unit stands in the label of an axis or in its ticks") {
  CHECK(axis_label("latency", "clocks") == "latency (clocks)");
  CHECK(axis_label("time (sampled)", "s") == "time (sampled)");
  CHECK(axis_label("size", "B") == "size");
  CHECK(axis_label("n", "") == "n");
}

TEST_CASE("points of words are not joined") {
  Figure figure;
  figure.x_name = "measure";
  figure.x_words = {"ca", "cg"};
  figure.panels = {{"latency", "clocks", {{"", {0, 1}, {100, 200}}}}};
  const std::string words = draw(figure, {false, true, 60});
  figure.x_words.clear();
  const std::string numbers = draw(figure, {false, true, 60});
  const auto filled = [](const std::string& text) {
    std::size_t count = 0;  // Lines of the panel with a dot: braille is U+28xx.
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      count += line.find("\xE2\xA0") != line.npos || line.find("\xE2\xA1") != line.npos ||
               line.find("\xE2\xA2") != line.npos || line.find("\xE2\xA3") != line.npos;
    return count;
  };
  CHECK(filled(words) == 2);
  CHECK(filled(numbers) > 5);
}
