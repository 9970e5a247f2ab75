// Numbers with values, against std::unordered_map.
#include "runtime/device/vgpu/counts/number_table.h"

#include <doctest/doctest.h>

#include <unordered_map>

TEST_CASE("a table of numbers keeps the first value of each, in their order") {
  gpx::vgpu::NumberTable<int> table;
  CHECK(table.find(0) == nullptr);
  std::unordered_map<std::uint64_t, int> expected;
  std::vector<std::uint64_t> order;
  std::uint64_t number = 0;
  for (int i = 0; i < 5000; ++i) {
    number = i % 3 == 0 ? static_cast<std::uint64_t>(i) : number * 6364136223846793005ull + 1;
    const std::uint64_t key = i % 2 == 0 ? number % 700 : number;
    const bool added = expected.try_emplace(key, i).second;
    if (added) order.push_back(key);
    CHECK(table.add(key, i) == added);
  }
  REQUIRE(table.entries().size() == order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(table.entries()[i].first == order[i]);
    REQUIRE(table.find(order[i]) != nullptr);
    CHECK(*table.find(order[i]) == expected[order[i]]);
  }
  CHECK(table.find(701) == nullptr);
}
