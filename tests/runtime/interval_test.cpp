#include "runtime/measure/interval.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace gpx;

TEST_CASE("the ranks of a median's interval are those of the tables") {
  // Largest r with 2 P(B < r) <= 5 %, B binomial(n, 1/2).
  const std::vector<std::pair<std::size_t, std::size_t>> known = {
      {1, 0}, {5, 0}, {6, 1}, {8, 1}, {9, 2}, {12, 3}, {20, 6}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : known) {
    CAPTURE(n);
    CHECK(median_rank(n, 0.05) == rank);
  }
  CHECK(rank_error(6, 1) == doctest::Approx(2.0 / 64));
  CHECK(rank_error(20, 6) == doctest::Approx(0.0414).epsilon(0.002));
  CHECK(rank_error(7, 0) == 0);
}

TEST_CASE("an interval follows its definition") {
  const Interval median = interval_of({6, 1, 2, 5, 4, 3}, Reduce::median);
  CHECK(median.low == 1);
  CHECK(median.high == 6);
  const Interval mean = interval_of({1, 2, 3, 4, 5}, Reduce::mean);  // t(4) = 2.7764
  CHECK(mean.low == doctest::Approx(3 - 1.96324).epsilon(1e-5));
  CHECK(mean.high == doctest::Approx(3 + 1.96324).epsilon(1e-5));
  const Interval rates = interval_of({1, 0.5, 0.25}, Reduce::harmonic_mean);
  const Interval inverse = interval_of({1, 2, 4}, Reduce::mean);
  CHECK(rates.low == doctest::Approx(1 / inverse.high));
  CHECK(inverse.low < 0);
  CHECK(std::isinf(rates.high));
}

TEST_CASE("where nothing can be said there is no interval") {
  CHECK_FALSE(interval_of({1, 2, 3, 4, 5}, Reduce::median).exists());
  CHECK_FALSE(interval_of({7}, Reduce::mean).exists());
  CHECK_FALSE(interval_of({}, Reduce::harmonic_mean).exists());
  CHECK_FALSE(interval_of({0, 1, 2}, Reduce::harmonic_mean).exists());
  for (const Reduce how : {Reduce::min, Reduce::max})
    CHECK_FALSE(interval_of({1, 2, 3, 4, 5, 6, 7}, how).exists());
}

TEST_CASE("few values show their range, one shows nothing") {
  const Interval three = shown_interval({5, 3, 9}, Reduce::median);
  CHECK(three.low == 3);
  CHECK(three.high == 9);
  CHECK_FALSE(shown_interval({5}, Reduce::median).exists());
  CHECK_FALSE(shown_interval({5, 3, 9}, Reduce::min).exists());
}

TEST_CASE("the half width is that of the longer side") {
  CHECK(Interval{90, 120}.half_width(100) == doctest::Approx(0.2));
  CHECK(Interval{100, 100}.half_width(100) == 0);
  CHECK(Interval{0, 0}.half_width(0) == 0);
  CHECK(std::isinf(Interval{-1, 1}.half_width(0)));
}

TEST_CASE("intervals contain what they should in 95 % of the cases") {
  std::mt19937_64 random(20260);
  std::lognormal_distribution<double> skewed(0, 0.5);
  std::normal_distribution<double> normal(10, 1);
  for (const std::size_t n : {6u, 13u, 40u}) {
    int median = 0, mean = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> a, b;
      for (std::size_t k = 0; k < n; ++k) a.push_back(skewed(random)), b.push_back(normal(random));
      const Interval one = interval_of(a, Reduce::median), two = interval_of(b, Reduce::mean);
      median += one.low <= 1 && 1 <= one.high;
      mean += two.low <= 10 && 10 <= two.high;
    }
    CAPTURE(n);
    CHECK(median >= 1880);  // 95 % less four standard deviations of 2000 cases
    CHECK(mean >= 1860);
    CHECK(mean <= 1940);
  }
}
