#include "runtime/report/heat_map.h"

#include <doctest/doctest.h>

#include "made_results.h"

using namespace gpx;
using namespace gpx::report;
using Role = Column::Role;

namespace {

/// Latencies of `accesses` accesses at each size; other axes as given.
ExperimentResult chased(const std::vector<double>& sizes, int accesses, int others = 1) {
  ExperimentResult result;
  result.curves.columns = {
      made::numbers("n", Role::axis), made::numbers("size", Role::axis, Unit::byte),
      made::numbers("access", Role::record), made::numbers("index", Role::observed, Unit::byte),
      made::numbers("latency", Role::observed, Unit::clock)};
  for (int n = 1; n <= others; ++n)
    for (const double size : sizes)
      for (int access = 0; access < accesses; ++access) {
        const double row[] = {double(n), size, double(access), 0, size / 1024 + access};
        for (std::size_t c = 0; c < 5; ++c) result.curves.columns[c].numbers.push_back(row[c]);
      }
  return result;
}

}  // namespace

TEST_CASE("the latency of each access stands over its number and the size") {
  const std::vector<HeatMap> maps = heat_maps(chased({1024, 2048, 4096}, 8));
  REQUIRE(maps.size() == 1);
  const HeatMap& map = maps.front();
  CHECK(map.title == "latency by access and size");
  CHECK(map.x.values.size() == 8);
  CHECK(map.y.values == std::vector<double>{1024, 2048, 4096});
  CHECK(map.y.unit == "B");
  CHECK(map.unit == "clocks");
  CHECK_FALSE(map.binned);
  REQUIRE(map.cells.size() == 24);
  CHECK(map.cells[0] == 1);
  CHECK(map.cells[8 + 3] == 5);
}

TEST_CASE("what else varies gives maps of its own") {
  const std::vector<HeatMap> maps = heat_maps(chased({1024, 2048}, 4, 2));
  REQUIRE(maps.size() == 2);
  CHECK(maps[1].title == "latency by access and size, n=2");
  CHECK(heat_maps(chased({1024, 2048}, 4, 9)).size() == 4);
}

TEST_CASE("many accesses are put together, the greatest is kept") {
  const std::vector<HeatMap> maps = heat_maps(chased({1024, 2048}, 1000));
  REQUIRE(maps.size() == 1);
  CHECK(maps[0].binned);
  CHECK(maps[0].x.values.size() == 250);
  CHECK(maps[0].cells[0] == 1 + 3);
  CHECK(maps[0].cells[249] == 1 + 999);
}

TEST_CASE("a cell that was not measured is empty") {
  ExperimentResult result = chased({1024, 2048}, 4);
  result.curves.columns[4].numbers[2] = NAN;
  CHECK(std::isnan(heat_maps(result).front().cells[2]));
}

TEST_CASE("latency by SM over an axis") {
  ExperimentResult result = chased({1024, 2048}, 4);
  result.curves.columns[2].name = "sm";
  CHECK(heat_maps(result).front().title == "latency by sm and size");
}

TEST_CASE("one size, one access, or none is no map") {
  CHECK(heat_maps(chased({1024}, 8)).empty());
  CHECK(heat_maps(chased({1024, 2048}, 1)).empty());
  CHECK(heat_maps(made::kepler()).empty());
  CHECK(heat_maps({}).empty());
}
