#include "runtime/report/axis.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

using namespace gpx::report;

TEST_CASE("ticks lie at round numbers inside the range") {
  const struct {
    double low, high;
    int count;
    const char* unit;
    std::vector<double> ticks;
  } rows[] = {{2, 1024, 5, "", {500, 1000}},
              {2, 1024, 6, "", {200, 400, 600, 800, 1000}},
              {0, 10, 5, "", {0, 2, 4, 6, 8, 10}},
              {-3, 3, 3, "", {-2, 0, 2}},
              {0, 1 << 20, 4, "B", {0, 262144, 524288, 786432, 1048576}},
              {0.1, 0.4, 3, "s", {0.1, 0.2, 0.3, 0.4}}};
  for (const auto& row : rows) {
    const PlotAxis axis = make_axis(row.low, row.high, row.count, false, row.unit, false);
    REQUIRE(axis.ticks.size() == row.ticks.size());
    for (std::size_t i = 0; i < row.ticks.size(); ++i)
      CHECK(axis.ticks[i] == doctest::Approx(row.ticks[i]));
  }
}

TEST_CASE("ticks_without_rounding: 46 * 0.2 is 9.2, and 2^45 is whole") {
  for (const auto& [low, high, wanted] : {std::tuple{8.0, 10.0, 9.2}, std::tuple{0.1, 0.4, 0.3}}) {
    const PlotAxis axis = make_axis(low, high, 10, false, "", true);
    CHECK(std::ranges::find(axis.ticks, wanted) != axis.ticks.end());
  }
  CHECK(make_axis(0, 0x1p46, 2, false, "B", true).ticks.at(1) == 0x1p45);
  CHECK(make_axis(0, 3e-310, 2, false, "", false).ticks.back() <= 3e-310);
}

TEST_CASE("a widened axis ends at ticks and has no negative zero") {
  const PlotAxis axis = make_axis(0, 1330, 4, false, "", true);
  CHECK(axis.low == 0);
  CHECK(axis.high == 1500);
  CHECK_FALSE(std::signbit(axis.ticks.front()));
  CHECK(axis.position(750) == 0.5);
}

TEST_CASE("a range without extent is widened around its value") {
  for (const double value : {0.0, 100.0, -5.0}) {
    const PlotAxis axis = make_axis(value, value, 3, false, "", true);
    CHECK(axis.low < value);
    CHECK(axis.high > value);
  }
}

TEST_CASE("a range as small as rounding is no range") {
  const double value = 850.0 / 3, next = std::nextafter(std::nextafter(value, 1e9), 1e9);
  for (const bool log : {false, true}) {
    const PlotAxis axis = make_axis(value, next, 5, log, "", true);
    CHECK(axis.high - axis.low > 1);
    CHECK(axis.ticks.size() < 20);
  }
}

TEST_CASE("the largest and the smallest numbers have an end of ticks") {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  const std::pair<double, double> ranges[] = {
      {0, 1.75e308},  {1.7e308, most}, {1, most},     {most, most},    {-most, 0}, {-most, -most},
      {least, least}, {-most, most},   {least, most}, {least, 1e-322}, {0, least}};
  for (const auto& [low, high] : ranges)
    for (const bool log : {false, true})
      for (const bool widen : {false, true})
        for (const char* unit : {"", "B"})
          CHECK(make_axis(low, high, 5, log, unit, widen).ticks.size() < 20);
}

TEST_CASE("a log axis has ticks at 1, 2 and 5, or at powers where there are many") {
  const PlotAxis fine = make_axis(2, 1024, 8, true, "", false);
  CHECK(fine.ticks == std::vector<double>{2, 5, 10, 20, 50, 100, 200, 500, 1000});
  CHECK(make_axis(1024, 1 << 20, 8, true, "B", false).ticks.front() == 1024);
  const PlotAxis axis = make_axis(1, 1e6, 5, true, "", false);
  REQUIRE(axis.ticks.size() >= 4);
  CHECK(axis.ticks[1] == doctest::Approx(100));
}

TEST_CASE("a log axis cannot show zero") {
  const PlotAxis axis = make_axis(1, 1000, 5, true, "", false);
  CHECK(axis.position(10) == doctest::Approx(1.0 / 3));
  CHECK(std::isnan(axis.position(0)));
}
