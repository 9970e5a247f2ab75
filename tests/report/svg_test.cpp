// Pictures drawn by gpx itself.
#include "runtime/report/svg.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "golden.h"
#include "made_results.h"
#include "runtime/report/html.h"

using namespace gpx;
using namespace gpx::report;

namespace {

Picture picture_of_run(ExperimentResult result) {
  std::vector<report::Run> runs(1);
  runs[0].name = "run";
  runs[0].document.result = made::run_of(std::move(result));
  const std::vector<Group> groups = overlay(runs, 24);
  return picture_of(groups.front(), groups.front().figures.front());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("a picture has axes with units, its curves and a key") {
  ExperimentResult result = made::kepler();
  for (Column& column : result.curves.columns) column.numbers.resize(3);
  check_golden("kepler.svg", to_svg(picture_of_run(result)));
}

TEST_CASE("a picture says what its bars are") {
  ExperimentResult result = made::kepler();
  CHECK(picture_of_run(result).note.find("bars") == std::string::npos);
  Column low = *result.curves.find("latency"), high = low, repetitions = low;
  low.name = "latency_low";
  high.name = "latency_high";
  low.role = high.role = Column::Role::interval;
  repetitions.name = "repetitions";
  for (double& value : low.numbers) value -= 1;
  for (double& value : high.numbers) value += 1;
  std::ranges::fill(repetitions.numbers, 9);
  result.curves.columns.insert(result.curves.columns.end(), {low, high, repetitions});
  CHECK(picture_of_run(result).note.ends_with("; bars: 95 % interval"));
  for (Column& column : result.curves.columns)
    if (column.name == "repetitions") std::ranges::fill(column.numbers, 3);
  CHECK(picture_of_run(result).note.ends_with("; bars: range of the repetitions"));
}

TEST_CASE("a picture is as wide as its longest label needs") {
  Picture picture = picture_of_run(made::kepler());
  CHECK(to_svg(picture).find(" width=\"900\"") != std::string::npos);
  for (Panel& panel : picture.figure.panels) panel.curves.front().label = std::string(100, 'w');
  picture.title = std::string(100, 't');
  const std::string text = to_svg(picture);
  CHECK(text.find(" width=\"1224\"") != std::string::npos);           // 450 + 34 + 7.4 * 100
  CHECK(text.find("<text x=\"382\" y=\"24\"") != std::string::npos);  // Half a title from 12 on.
}

TEST_CASE("title_wraps: a long title and a long note are lines within the picture") {
  Picture picture = picture_of_run(made::kepler());
  const std::string line = to_svg(picture);
  picture.title = "a title " + picture.title;
  for (int i = 0; i < 40; ++i) picture.title += " of words";
  for (int i = 0; i < 40; ++i) picture.note += "; one device more";
  const std::string text = to_svg(picture);
  CHECK(count(text, "<text") == count(line, "<text") + 3 + 5);
  CHECK(count(text, "of words</text>") == 4);
  CHECK(count(text, " height=\"") == count(line, " height=\""));
  const auto height = [](const std::string& svg) {
    return std::stod(svg.substr(svg.find(" height=\"") + 9));
  };
  CHECK(height(text) == height(line) + 8 * 18);
}

TEST_CASE("two_devices_two_colours: the colour tells the run, the dash the curve") {
  Figure figure;
  Panel panel{"latency", "clocks", {}};
  for (const std::size_t run : {0, 1})
    for (const char* label : {"n=1", "n=2"})
      panel.curves.push_back({fmt::format("run {}: {}", run, label), {1}, {1}, run});
  figure.panels = {panel, panel};
  figure.panels[1].curves.erase(figure.panels[1].curves.begin());
  const auto styles = [&](const Panel& shown) {
    std::string text;
    const CurveStyles all(figure);
    for (const Curve& curve : shown.curves)
      text += fmt::format("{}/{} ", all.of(curve).colour, all.of(curve).dash);
    return text;
  };
  CHECK(styles(figure.panels[0]) == "0/0 0/1 1/0 1/1 ");
  CHECK(styles(figure.panels[1]) == "0/1 1/0 1/1 ");  // As in the first panel.
  // More curves than dashes: the colour tells the curve.
  for (const std::size_t run : {0, 1})
    for (int i = 3; i < 7; ++i)
      figure.panels[0].curves.push_back({fmt::format("{}: n={}", run, i), {1}, {1}, run});
  CHECK(styles(figure.panels[0]) == "0/0 1/0 0/1 1/1 2/0 3/0 4/0 5/0 2/1 3/1 4/1 5/1 ");
  for (Curve& curve : figure.panels[0].curves) curve.run = 0;
  CHECK(styles(figure.panels[1]).starts_with("1/0 "));
}

TEST_CASE("one_palette: the page draws the colours of the pictures") {
  const std::string page = to_html({report::Run{"run", {made::run_of(made::kepler()), {}}}});
  for (std::size_t i = 0; i < kColourCount; ++i)
    CHECK(count(page, fmt::format("--c{}: {};", i, CurveStyle{i, 0}.hex())) == 1);
}

TEST_CASE("wide_ticks: the left margin holds the widest tick") {
  Picture picture = picture_of_run(made::kepler());
  CHECK(count(to_svg(picture), "<path d=\"M84 ") > 0);
  for (Panel& panel : picture.figure.panels) {
    panel.unit = "FLOP/s";
    for (Curve& curve : panel.curves)
      for (double& y : curve.y) y *= 1e9;
  }
  CHECK(count(to_svg(picture), "<path d=\"M84 ") == 0);
}

TEST_CASE("a finding is a line and its name in the first panel") {
  Picture picture = picture_of_run(made::kepler());
  const std::string plain = to_svg(picture);
  picture.marks.push_back({"outstanding.saturation[n=2]", "", 512, 448, 576, 0});
  const std::string marked = to_svg(picture);
  CHECK(count(marked, ">saturation[n=2] 512</text>") == 1);
  CHECK(count(marked, "#a40e26") > count(plain, "#a40e26"));
  CHECK(count(marked, "fill-opacity") == picture.figure.panels.size());
}

TEST_CASE("what is not finite, or has no logarithm, breaks the curve") {
  Picture picture;
  picture.figure.x_name = "n";
  picture.figure.panels.push_back({"latency", "clocks", {{"", {1, 2, 3, 4}, {1, 0, 5, 9}, 0}}});
  picture.figure.panels[0].log = true;
  const std::string svg = to_svg(picture);
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "<circle") == 3);
}

TEST_CASE("no text of an experiment is markup") {
  ExperimentResult result = made::kepler();
  result.experiment.title = "<script>&\"";
  const std::string svg = to_svg(picture_of_run(result));
  CHECK(count(svg, "<script>") == 0);
  CHECK(count(svg, "&lt;script&gt;&amp;") == 1);
  result.experiment.title = "";
  CHECK(count(to_svg(picture_of_run(result)), ">" + result.experiment.name + "</text>") == 1);
}

TEST_CASE("two_points: a pair of points has room beside it and names its values") {
  Picture picture = picture_of_run(made::kepler());
  Figure& figure = picture.figure;
  picture.marks.clear();
  figure.panels.resize(1);
  figure.panels[0].curves = {{"a", {32, 256}, {298, 324}, 0}};
  CHECK(is_pair(figure));
  const PlotAxis axis = x_axis_of(figure);
  CHECK(axis.low == 0);
  CHECK(axis.position(32) > 0.1);
  CHECK(axis.position(256) < 0.9);
  const std::string text = to_svg(picture);
  CHECK(count(text, ">298</text>") == 1);
  CHECK(count(text, ">324</text>") == 1);
  figure.log_x = true;
  CHECK(x_axis_of(figure).position(256) < 0.9);
  figure.panels[0].curves.push_back({"b", {64}, {300}, 0});
  CHECK_FALSE(is_pair(figure));
  CHECK(count(to_svg(picture), ">298</text>") == 0);
}
