#include "runtime/report/gnuplot.h"

#include <doctest/doctest.h>

#include "golden.h"
#include "lang/lists.h"
#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

namespace {

std::string script_of(std::vector<ExperimentResult> results,
                      PictureFormat format = PictureFormat::svg) {
  std::vector<report::Run> runs;
  for (ExperimentResult& result : results) {
    report::Run run;
    run.name = "run";
    run.document.result = made::run_of(std::move(result));
    runs.push_back(std::move(run));
  }
  const std::vector<Group> groups = overlay(runs, 24);
  return to_gnuplot(picture_of(groups.front(), groups.front().figures.front()), format);
}

}  // namespace

TEST_CASE("a picture is as wide as its longest label needs") {
  Picture picture;
  picture.figure.x_name = "n";
  picture.figure.panels.push_back(
      {"latency", "clocks", {{std::string(100, 'w'), {1, 2}, {1, 2}}}, 12, false});
  const std::string wide = to_gnuplot(picture, PictureFormat::png);
  // Half of the usual width for the plot, 0.055 + 100 * 0.0072 of it for the key.
  CHECK(contains(wide, "pngcairo size 1721,840"));
  CHECK(contains(wide, "set rmargin at screen 0.392156"));
  picture.figure.panels[0].curves[0].label = "n=1";
  CHECK(contains(to_gnuplot(picture, PictureFormat::png), "pngcairo size 1350,840"));
  CHECK(contains(to_gnuplot(picture, PictureFormat::svg), "svg size 900,560"));
}

TEST_CASE("the format is the file's ending") {
  CHECK(picture_format("a.svg") == PictureFormat::svg);
  CHECK(picture_format("b/a.png") == PictureFormat::png);
  CHECK(picture_format("a.x.pdf") == PictureFormat::pdf);
  CHECK(picture_format("a.gp") == PictureFormat::gnuplot);
  CHECK(picture_format("a.tex") == PictureFormat::tikz);
  CHECK_FALSE(picture_format("a.jpg").has_value());
  CHECK_FALSE(picture_format("svg").has_value());
}

TEST_CASE("a figure is a script with axis names, units and its curves") {
  ExperimentResult result = made::kepler();
  for (Column& column : result.curves.columns) column.numbers.resize(3);
  check_golden("kepler.gnuplot", script_of({result}));
}

TEST_CASE("findings are marked, with a band where the interval is wide") {
  ExperimentResult result = made::kepler();
  Finding spike;
  spike.name = "outstanding.saturation[n=2]";
  spike.value = 690.0;
  spike.low = 672;
  spike.high = 704;
  spike.unit = "threads";
  spike.verdict = Verdict::measured;
  spike.evidence = {{{"threads", Quantity{672, Unit::none}}},
                    {{"threads", Quantity{704, Unit::none}}}};
  result.findings = {spike};
  const std::string script = script_of({result});
  CHECK(contains(script, "set arrow from 690, graph 0 to 690, graph 1 nohead"));
  CHECK(contains(script, "set object rectangle from 672, graph 0 to 704, graph 1 behind"));
  CHECK(contains(script, "set label 'saturation[n=2] 690' at 690"));
}

TEST_CASE("bytes have ticks of bytes, and all panels one range on x") {
  ExperimentResult result = made::kepler();
  result.curves.columns[1].unit = Unit::byte;
  for (double& size : result.curves.columns[1].numbers) size *= 1024;
  const std::string script = script_of({result});
  CHECK(contains(script, "'512 KB' 524288"));
  const std::string range = "set xrange [32768:1048576]";
  CHECK(script.find(range) != script.rfind(range));
}

TEST_CASE("a logarithmic axis of zeros is a picture") {
  ExperimentResult result = made::kepler();
  result.experiment.plots.front().log_y = true;
  for (double& y : result.curves.columns[2].numbers) y = 0;
  CHECK(contains(script_of({result}), "set yrange [1:10]"));
}

TEST_CASE("no text of an experiment is a command of gnuplot") {
  ExperimentResult result = made::kepler();
  const std::string evil = "a'b\"`touch x`\n!touch y\n$z EOD";
  result.experiment.name = result.device.name = evil;
  result.curves.columns[1].name = result.experiment.plots.front().x = evil;
  const std::string script = script_of({result});
  CHECK(contains(script, "'a''b\"`touch x` !touch y $z EOD'"));
  CHECK_FALSE(contains(script, "\n!touch"));
  CHECK_FALSE(contains(script, "\n$z"));
}

TEST_CASE("overlaid runs have colours of their own, and say which is a model") {
  ExperimentResult real = made::kepler();
  real.device.measured = true;
  real.device.name = "H100";
  const std::string script = script_of({made::kepler(), real}, PictureFormat::pdf);
  CHECK(contains(script, "set terminal pdfcairo"));
  CHECK(contains(script,
                 "PRT?'.\"\\n\".'k20 (virtual): a model, not a measurement; H100: measured'"));
  CHECK(contains(script,
                 "linecolor '#0868ac' linewidth 2 dashtype solid title 'k20 (virtual): n=1'"));
  CHECK(contains(script, "linecolor '#c2410c' linewidth 2 dashtype solid title 'H100: n=1'"));
}
