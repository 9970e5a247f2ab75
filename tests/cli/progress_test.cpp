#include "runtime/cli/output/progress.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "captured.h"

using namespace gpx;
using namespace gpx::cli;

TEST_CASE("the line tells points, rate and the time that is left") {
  const report::Style utf8{false, true, 100}, ascii{false, false, 100};
  CHECK(progress_line({"prt", 256, 1024}, 2, utf8) ==
        "prt ██████░░░░░░░░░░░░░░░░░░ 256/1024 points · 128/s · 0:06 left");
  CHECK(progress_line({"prt", 256, 1024}, 2, ascii) ==
        "prt ######.................. 256/1024 points - 128/s - 0:06 left");
  CHECK(contains(progress_line({"prt", 1, 3601}, 1, utf8), "1:00:00 left"));
  CHECK(contains(progress_line({"prt", 7392, 163840}, 1.875, utf8), "· 3942/s ·"));
  CHECK(contains(progress_line({"prt", 1, 10}, 4, utf8), "· 0.25/s ·"));
  CHECK(contains(progress_line({"folder", 1, 10, "kernel"}, 4, utf8), " 1/10 kernels ·"));
}

TEST_CASE("before the first point there is no rate") {
  CHECK_FALSE(contains(progress_line({"prt", 0, 1024}, 2, {false, true, 100}), "/s"));
  CHECK(contains(progress_line({"prt", 0, 0}, 0, {false, true, 100}), "0/0 points"));
}

TEST_CASE("a narrow terminal gets less of it, but the numbers") {
  const report::Style narrow{false, true, 60}, narrowest{false, true, 40};
  CHECK(progress_line({"prt", 256, 1024}, 2, narrow) == "prt 256/1024 points · 128/s · 0:06 left");
  CHECK(progress_line({"outstanding_requests", 256, 1024}, 2, narrowest) ==
        "256/1024 points · 128/s · 0:06 left");
}

TEST_CASE("a log gets a line at the beginning, now and then, and at the end") {
  Captured captured;
  gpx::ExperimentResult result;
  result.experiment.name = "prt";
  result.device.name = "k20";
  result.proof = "verified";
  result.points_total = 8;
  const auto measure = [&](double every) {
    ProgressLines lines(captured.console.err, {false, true, 100}, every);
    lines.begins(result);
    lines.measured(result, {4, 8, result.samples, 0, ""});
    result.points = 8;
    lines.ends(result);
  };
  measure(0);
  CHECK(contains(captured.err(), "prt: 8 points on k20, timed region verified\n"));
  CHECK(contains(captured.err(), " 4/8 points"));
  CHECK(contains(captured.err(), "prt: 8 of 8 points, 0.0 s\n"));
  measure(1000);
  const std::string all = captured.err();
  CHECK(all.find(" 4/8 points") == all.rfind(" 4/8 points"));
  result.proof = "";  // The time of a whole grid needs none.
  result.points_total = 1;
  measure(1000);
  CHECK(contains(captured.err(), "prt: 1 point on k20\n"));
}

TEST_CASE("where there is no terminal nothing is drawn") {
  Captured captured;
  ProgressBar bar(captured.console.err, {}, false);
  bar.update({"prt", 1, 2});
  bar.clear();
  CHECK(captured.err() == "");
}

TEST_CASE("the first points are shown when they are done, if they took a moment") {
  gpx::ExperimentResult result;
  result.experiment.name = "prt";
  for (const int milliseconds : {0, 600}) {
    Captured captured;
    ProgressBar bar(captured.console.err, {false, true, 100}, true);
    bar.begins(result);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    bar.measured(result, {1, 8, result.samples, 0, ""});
    CHECK(contains(captured.err(), "1/8 points") == (milliseconds > 0));
  }
}

TEST_CASE("a run that takes more than half a minute says how far it is, others nothing") {
  gpx::ExperimentResult result;
  result.experiment.name = "prt";
  for (const double slow : {0.0, 1000.0}) {
    CAPTURE(slow);
    Captured captured;
    SlowLines lines(captured.console.err, {false, true, 100}, slow);
    lines.begins(result);
    lines.measured(result, {2, 8, result.samples, 0, ""});
    lines.measured(result, {8, 8, result.samples, 0, ""});  // It is at its end.
    CHECK(contains(captured.err(), " 2/8 points") == (slow == 0));
    CHECK_FALSE(contains(captured.err(), " 8/8 points"));
  }
}

TEST_CASE("without an experiment time counts from the start") {
  Captured captured;
  SlowLines lines(captured.console.err, {false, true, 100}, 0);
  lines.update({"folder", 1, 2, "kernel"});
  lines.update({"folder", 2, 2, "kernel"});
  CHECK(contains(captured.err(), " 1/2 kernels"));
  CHECK_FALSE(contains(captured.err(), " 2/2 kernels"));
}
