#include "runtime/fleet/scale.h"

#include <doctest/doctest.h>

using namespace gpx::fleet;

TEST_CASE("variances are weighted by their degrees of freedom") {
  const Variance both = Variance{4, 6}.with({1, 2});
  CHECK(both.value == doctest::Approx(3.25));
  CHECK(both.freedom == 8);
  CHECK(Variance{4, 6}.with({}).value == 4);
}

TEST_CASE("a sum of equal parts has all of their degrees of freedom") {
  const Variance all = sum({{2, 10}, {2, 10}});
  CHECK(all.value == 4);
  CHECK(all.freedom == doctest::Approx(20));
  CHECK(sum({{2, 10}, {0, 1}}).freedom == doctest::Approx(10));
}

TEST_CASE("the left-out board moves neither the median nor the spread") {
  const std::vector<double> values = {9, 10, 10, 11, 12, 12, 13, 900};
  CHECK(median_without(values, 7) == 11);
  CHECK(spread_without(values, 7).value == doctest::Approx((12 - 10) / 1.349 * (12 - 10) / 1.349));
  CHECK(spread_without({1, 2, 3, 4, 5}, 0).freedom == 0);  // Four others say nothing.
}

TEST_CASE("of two peers the nearer one is the median") {
  CHECK(median_without({372, 372.5, 383}, 0) == 372.5);
  CHECK(median_without({372, 372.5, 383}, 2) == 372.5);
  CHECK(median_without({1, 2, 5, 6, 9}, 2) == 6);
}

TEST_CASE("chance and bound are those of Student's t") {
  CHECK(chance(2.228, 10) == doctest::Approx(0.05).epsilon(0.001));
  CHECK(chance(-2.228, 10) == chance(2.228, 10));
  CHECK(bound(0.05, 10) == doctest::Approx(2.228).epsilon(0.001));
}
