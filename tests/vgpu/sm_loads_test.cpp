// Which SMs stand for a grid whose blocks are resident at once.
#include "runtime/device/vgpu/timing/sm_loads.h"

#include <doctest/doctest.h>

using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

TEST_CASE("the load of an SM is that of its blocks, as far as they are known") {
  // 10 blocks on 4 SMs: the first two have three.
  CHECK(loads_of_sms({}, 10, 4).empty());
  CHECK(loads_of_sms({{0, 3}, {4, 5}, {1, 2}, {3, 6}}, 10, 4) == std::vector<double>{12, 6, 8, 12});
}

TEST_CASE("a grid ends long where its last block takes much more than the others") {
  CHECK(!ends_long({}, 10));
  CHECK(!ends_long({{9, 100}}, 10));  // the others are not known
  CHECK(!ends_long({{2, 10}, {5, 12}, {9, 16}}, 10));
  CHECK(ends_long({{2, 10}, {5, 12}, {9, 17}}, 10));
  CHECK(!ends_long({{2, 10}, {5, 99}}, 10));  // in the middle others go on beside it
}

TEST_CASE("neighbours with the busiest SM stand for all, if SMs differ") {
  struct Row {
    std::vector<double> loads;
    std::uint64_t part;
    std::optional<std::uint64_t> first;
  };
  const Row rows[] = {
      {{1, 1, 1.04, 1}, 2, std::nullopt},      // alike
      {{1, 1, 9, 1}, 4, std::nullopt},         // all are run
      {{}, 2, std::nullopt},                   // nothing is known
      {{1, 1, 9, 1}, 1, 2},                    //
      {{0, 1, 1, 1, 1, 1, 1, 9, 2, 0}, 2, 6},  // both sides: nearer to the mean
      {{9, 1, 1, 1}, 3, 0},                    // at either end
      {{1, 1, 1, 9}, 3, 1},
  };
  for (const Row& row : rows) CHECK(busiest_part(row.loads, row.part) == row.first);
}
