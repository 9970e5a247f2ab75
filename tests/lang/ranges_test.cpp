// Ranges of an axis: lang/ranges.h, and sweeps of lang/experiment.h.
#include "lang/ranges.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

std::vector<double> numbers(const Range& range) {
  std::vector<double> out;
  for (const Value& value : range_values(range, Unit::none))
    out.push_back(std::get<Quantity>(value).value);
  return out;
}

Axis axis(std::string name, std::vector<double> values, Unit unit = Unit::none) {
  Axis axis;
  axis.name = std::move(name);
  axis.unit = unit;
  for (double value : values) axis.values.emplace_back(Quantity{value, unit});
  return axis;
}

}  // namespace

TEST_CASE("a range includes both ends") {
  CHECK(numbers({1, 3, 1, false}) == std::vector<double>{1, 2, 3});
  CHECK(numbers({2, 7, 2, false}) == std::vector<double>{2, 4, 6});
  CHECK(numbers({5, 5, 1, false}) == std::vector<double>{5});
  CHECK(numbers({0.1, 0.5, 0.1, false}).size() == 5);
  CHECK(numbers({1, 64, 4, true}) == std::vector<double>{1, 4, 16, 64});
  CHECK(numbers({1, 63, 2, true}) == std::vector<double>{1, 2, 4, 8, 16, 32});
  CHECK(numbers({1024, 67108864, 2, true}).back() == 67108864);
  CHECK(numbers({1, 1000, 10, true}).size() == 4);
}

TEST_CASE("the size of a range is known without its values") {
  CHECK(range_size({1, 1e12, 1, false}) == 1e12);
  CHECK(range_size({2, 1, 1, false}) == 0);
  CHECK(range_size({2, 1024, 2, false}) == 512);
}

TEST_CASE("values that form a range print as one, others do not") {
  CHECK(as_range(axis("n", {1, 2, 3})) == "1..3");
  CHECK(as_range(axis("n", {2, 4, 6})) == "2..6 step 2");
  CHECK(as_range(axis("n", {1024, 2048, 4096}, Unit::byte)) == "1KB..4KB step x2");
  CHECK(as_range(axis("n", {0.1, 0.2, 0.30000000000000004}, Unit::second)) ==
        "0.1s..0.30000000000000004s step 0.1s");
  CHECK_FALSE(as_range(axis("n", {1, 2})));
  CHECK_FALSE(as_range(axis("n", {1, 2, 4, 9})));
  CHECK_FALSE(as_range(axis("n", {1, 1, 1})));
  CHECK_FALSE(as_range(axis("n", {3, 2, 1})));
}

TEST_CASE("groups of a sweep nest, the first outermost, and zipped axes advance together") {
  Sweep sweep;
  sweep.groups.push_back({axis("a", {1, 2}), axis("b", {10, 20})});
  sweep.groups.push_back({axis("c", {5, 6, 7})});
  REQUIRE(sweep.points() == 6);
  REQUIRE(sweep.axes().size() == 3);
  const auto at = [&](std::uint64_t point) {
    std::vector<double> out;
    for (const Value& value : sweep.at(point)) out.push_back(std::get<Quantity>(value).value);
    return out;
  };
  CHECK(at(0) == std::vector<double>{1, 10, 5});
  CHECK(at(1) == std::vector<double>{1, 10, 6});
  CHECK(at(3) == std::vector<double>{2, 20, 5});
  CHECK(at(5) == std::vector<double>{2, 20, 7});
  CHECK(Sweep{}.points() == 1);
  CHECK(Sweep{}.at(0).empty());
}
