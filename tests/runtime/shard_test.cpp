#include "runtime/measure/shard.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "runtime/measure/values_digest.h"

using namespace gpx;

TEST_CASE("a shard is K of N with K in 1..N") {
  CHECK(*parse_shard("1/1") == Shard{1, 1});
  CHECK(*parse_shard("2/4") == Shard{2, 4});
  CHECK(*parse_shard("1000000/1000000") == Shard{1'000'000, 1'000'000});
  CHECK(to_string(Shard{2, 4}) == "2/4");
  for (const char* wrong : {"", "2", "/", "2/", "/4", "0/4", "5/4", "1/0", "-1/4", "1/4x", " 1/4",
                            "1.5/4", "1/1000001", "99999999999999999999/99999999999999999999"})
    CHECK_MESSAGE(!parse_shard(wrong), wrong);
}

TEST_CASE("shards share all points of sweeps of any size, each once and evenly") {
  for (const std::uint64_t total : {0, 1, 2, 3, 7, 64, 513, 1000})
    for (const std::uint64_t count : {1, 2, 3, 4, 7, 64, 513, 2000}) {
      std::set<std::uint64_t> seen;
      std::uint64_t least = total, most = 0;
      for (std::uint64_t index = 1; index <= count; ++index) {
        const Shard shard{index, count};
        const auto own = shard.points_within(0, total);
        REQUIRE(own.size() == shard.points_of(total));
        seen.insert(own.begin(), own.end());
        least = std::min<std::uint64_t>(least, own.size());
        most = std::max<std::uint64_t>(most, own.size());
      }
      CHECK(seen.size() == total);
      CHECK((total == 0 || *seen.rbegin() == total - 1));
      CHECK(most - least <= 1);
    }
}

TEST_CASE("the split goes on from measure to measure") {
  std::mt19937_64 random(51);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t count = 1 + random() % 9;
    const std::vector<std::uint64_t> measures = {random() % 20, random() % 20, random() % 20};
    for (std::uint64_t index = 1; index <= count; ++index) {
      const Shard shard{index, count};
      std::vector<std::uint64_t> joined;
      std::uint64_t before = 0;
      for (const std::uint64_t points : measures) {
        for (const std::uint64_t point : shard.points_within(before, points))
          joined.push_back(before + point);
        before += points;
      }
      CHECK(joined == shard.points_within(0, before));
    }
  }
}

TEST_CASE("values that a point's kernel read print and are read back") {
  const std::vector<ReadValue> values = {{0, 0x1f}, {12, 0xffffffffffffffff}};
  CHECK(to_string(values) == "0:1f,c:ffffffffffffffff");
  CHECK(*parse_values("0:1f,c:ffffffffffffffff") == values);
  CHECK(parse_values("")->empty());
  for (const char* wrong : {"x", "1", "1:", ":1", "1:2,x", "1:2 3:4"})
    CHECK_MESSAGE(!parse_values(wrong), wrong);
  ValuesDigest all, resumed;
  all.fold(values);
  all.fold({{3, 4}});
  CHECK(resumed.text() == "0000000000000000");
  resumed.fold(values);
  ValuesDigest later;
  REQUIRE(later.restore(resumed.text()));
  later.fold({{3, 4}});
  CHECK(later.text() == all.text());
  CHECK_FALSE(later.restore("0x12"));
  ValuesDigest other_order;
  other_order.fold({{3, 4}});
  other_order.fold(values);
  CHECK(other_order.text() != all.text());
}
