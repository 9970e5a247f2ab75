#include "runtime/measure/modes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace gpx;

namespace {

using Random = std::mt19937_64;

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

struct Rates {
  double two = 0, outliers = 0;  ///< Shares of the points; of the values.
};

/// Of `points` points of n repetitions each.
Rates rates(int points, std::size_t n, const std::function<double(Random&)>& next, double step) {
  Random random(8128);
  Rates rates;
  for (int i = 0; i < points; ++i) {
    std::vector<double> values;
    for (std::size_t k = 0; k < n; ++k) values.push_back(next(random));
    const Shape shape = shape_of(values, step);
    rates.two += (shape.modes.size() > 1) / double(points);
    rates.outliers += double(shape.outliers.size()) / double(n) / points;
  }
  return rates;
}

}  // namespace

TEST_CASE("one mode is not told as two") {
  const std::function<double(Random&)> kinds[] = {
      [](Random& r) { return 400 * (1 + 0.03 * normal(r)); },
      [](Random& r) { return 400 * std::exp(0.3 * normal(r)); },
      [](Random& r) { return 400 * (1 + 0.1 * std::exponential_distribution<double>()(r)); },
      [](Random& r) { return 400 * (1 + 0.03 * std::cauchy_distribution<double>()(r)); },
      [](Random& r) { return 400 * (1 + 0.1 * std::uniform_real_distribution<double>()(r)); },
  };
  for (const auto& kind : kinds) {
    CHECK(rates(1000, 20, kind, 0).two <= 0.03);  // 1.4 % at most, and four deviations of it
    CHECK(rates(500, 100, kind, 0).two <= 0.01);
  }
  // Neighbouring clocks are no modes.
  const auto whole = [](Random& r) { return std::round(30 + 0.5 + 0.4 * normal(r)); };
  CHECK(rates(1000, 50, whole, 1).two == 0);
}

TEST_CASE("two modes are found with their shares") {
  for (const double rarer : {0.3, 0.5})
    for (const std::size_t n : {30u, 200u}) {
      const auto kind = [=](Random& r) {
        const bool high = std::bernoulli_distribution(rarer)(r);
        return 400 + 4 * normal(r) + (high ? 40 : 0);  // 10 deviations apart
      };
      CHECK(rates(500, n, kind, 0).two >= 0.9);
    }
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i < 28 ? 400 + i % 3 : 440 + i % 2);
  values.push_back(900);
  const Shape shape = shape_of(values, 1);
  REQUIRE(shape.modes.size() == 2);
  CHECK(shape.modes[0].value == 401);
  CHECK(shape.modes[0].share == doctest::Approx(0.7));
  CHECK(shape.modes[1].share == doctest::Approx(0.3));
  CHECK(shape.outliers == std::vector<double>{900});
}

TEST_CASE("single values far away are outliers, not a mode") {
  const auto clean = [](Random& r) { return 400 * (1 + 0.01 * normal(r)); };
  CHECK(rates(500, 20, clean, 0).outliers <= 0.004);
  CHECK(rates(200, 200, clean, 0).outliers <= 0.0005);
  const auto hit = [&](Random& r) {
    const bool out = std::bernoulli_distribution(0.05)(r);
    return out ? 400 * (2 + std::uniform_real_distribution<double>()(r)) : clean(r);
  };
  CHECK(rates(300, 200, hit, 0).outliers == doctest::Approx(0.05).epsilon(0.1));
  // All but one equal.
  std::vector<double> values(12, 300);
  values[5] = 380;
  CHECK(shape_of(values, 1).outliers == std::vector<double>{380});
  values[5] = 301;
  CHECK(shape_of(values, 1).outliers.empty());
  CHECK(shape_of({1, 1, 1, 90}, 1).modes.empty());
}

TEST_CASE("notes name the point that has most, once for each column that is observed") {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {{"warps", Unit::none, Role::axis, false, {}, {}},
                     {"repetition", Unit::none, Role::repetition, false, {}, {}},
                     {"latency", Unit::clock, Role::observed, false, {}, {}},
                     {"doubled", Unit::clock, Role::observed, false, {}, {}}};
  const auto add = [&](double warps, int repetition, double latency) {
    const double row[] = {warps, double(repetition), latency, 2 * latency};
    for (std::size_t c = 0; c < 4; ++c) samples.columns[c].numbers.push_back(row[c]);
  };
  for (int r = 0; r < 20; ++r) {
    add(1, r, 400);
    add(2, r, r % 2 ? 400 : 410);
    add(3, r, r % 4 ? 400 : 480);
    add(4, r, r == 7 ? 912 : 400);
  }
  const std::vector<std::string> notes = shape_notes(samples);
  REQUIRE(notes.size() == 2);
  CHECK(
      notes[0] ==
      "2 of 4 points have two modes: latency at warps=3 is 400 clocks (75 %) or 480 clocks (25 %)");
  CHECK(notes[1] ==
        "1 outlier at 1 of 4 points: latency at warps=4 is 912 clocks once, else 400 clocks");
  // A clock that counts in steps of 2.
  for (double& latency : samples.columns[2].numbers) latency = latency == 400 ? 96 : 98;
  CHECK(shape_notes(samples).empty());
}
