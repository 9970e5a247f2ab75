#include "runtime/report/timeline.h"

#include <doctest/doctest.h>

#include <cmath>

#include "golden.h"
#include "lang/lists.h"
#include "made_results.h"

using namespace gpx;
using namespace gpx::report;

namespace {

using Role = Column::Role;
const Style kPlain{false, true, 80};

Samples empty_timeline() {
  Samples samples;
  samples.columns = {made::numbers("n", Role::axis),
                     made::numbers("repetition", Role::repetition),
                     made::numbers("block", Role::record),
                     made::numbers("thread", Role::record),
                     {"stamp", Unit::none, Role::record, true, {}, {}},
                     made::numbers("clock", Role::observed, Unit::clock),
                     made::numbers("sm", Role::observed)};
  return samples;
}

struct Row {
  double n, repetition, block, thread;
  const char* stamp;
  double clock, sm;
};

void add(Samples& samples, const Row& row) {
  const double numbers[] = {row.n, row.repetition, row.block, row.thread, 0, row.clock, row.sm};
  for (std::size_t c = 0; c < samples.columns.size(); ++c) {
    Column& column = samples.columns[c];
    if (column.is_text) column.texts.push_back(row.stamp);
    if (!column.is_text) column.numbers.push_back(numbers[c]);
  }
}

/// Two warps: the lanes of the first go one half after the other, the second together.
Samples divergent() {
  Samples samples = empty_timeline();
  for (int thread = 0; thread < 64; ++thread) {
    const double start = 4294967290.0;  // the counter wraps in the first 10 clocks
    const auto clock = [&](double after) { return std::fmod(start + after, 4294967296.0); };
    const double body = thread < 16 ? 300 : thread < 32 ? 100 : 40;
    add(samples, {1, 0, 0, double(thread), "begin", clock(thread < 32 ? 0 : 4), 7});
    add(samples, {1, 0, 0, double(thread), "body", clock(body), 7});
    add(samples, {1, 0, 0, double(thread), "end", clock(body + 60), 7});
  }
  return samples;
}

}  // namespace

TEST_CASE("threads that agree are one line, from the block's first stamp on") {
  check_golden("timeline.txt", timelines(divergent(), kPlain));
}

TEST_CASE("without UTF-8 a timeline is pure ASCII") {
  const std::string text = timelines(divergent(), {false, false, 80});
  for (const char c : text) REQUIRE(static_cast<unsigned char>(c) < 0x80);
  CHECK(contains(text, "warp 0 lanes 0-15 |a"));
}

TEST_CASE("no line is wider than the terminal") {
  for (const int width : {40, 80, 120}) {
    const std::string text = timelines(divergent(), {false, true, width});
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      CHECK(display_width(text.substr(at, end - at)) <= width);
      at = end + 1;
    }
  }
}

TEST_CASE("one launch is shown, and what is left out is counted") {
  Samples samples = empty_timeline();
  for (double block = 0; block < 5; ++block) {
    for (double thread = 0; thread < 64; ++thread)
      add(samples, {1, 0, block, thread, "a", 100 + thread * 3, block});
  }
  add(samples, {1, 1, 0, 0, "other repetition", 100, 0});
  add(samples, {2, 0, 0, 0, "other point", 100, 0});
  const std::string text = timelines(samples, kPlain);
  CHECK(contains(text, "timeline of n=1\n"));
  CHECK(contains(text, "block 1 on SM 1\n"));
  CHECK_FALSE(contains(text, "block 2"));
  CHECK(contains(text, "and 24 more lines\n"));
  CHECK(contains(text, "and 3 more blocks\n"));
  CHECK_FALSE(contains(text, "other"));
}

TEST_CASE("stamps that fall together are marked, a launch without any has no timeline") {
  Samples samples = empty_timeline();
  add(samples, {1, 0, 0, 0, "a", 0, 0});
  add(samples, {1, 0, 0, 0, "b", 1, 0});
  add(samples, {1, 0, 0, 0, "c", 100000, 0});
  CHECK(contains(timelines(samples, kPlain), "lane 0 │*─"));
  Samples none = empty_timeline();
  add(none, {1, 0, NAN, NAN, "", NAN, NAN});
  CHECK(timelines(none, kPlain).empty());
}
