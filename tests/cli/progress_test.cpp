#include "runtime/cli/progress.h"

#include <doctest/doctest.h>

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
}

TEST_CASE("before the first point there is no rate") {
  CHECK_FALSE(contains(progress_line({"prt", 0, 1024}, 2, {false, true, 100}), "/s"));
  CHECK(contains(progress_line({"prt", 0, 0}, 0, {false, true, 100}), "0/0 points"));
}

TEST_CASE("where there is no terminal nothing is drawn") {
  Captured captured;
  ProgressBar bar(captured.console.err, {}, false);
  bar.update({"prt", 1, 2});
  bar.clear();
  CHECK(captured.err() == "");
}
