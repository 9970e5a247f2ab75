#include "runtime/measure/stopping.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "runtime/measure/samples.h"

using namespace gpx;

namespace {

using Random = std::mt19937_64;

/// Repetitions of a point whose true median is known.
struct Planted {
  std::string name;
  double truth;
  std::function<double(Random&)> next;
};

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

/// Noise whose size is `spread` of the value.
std::vector<Planted> noises(double spread) {
  const double outliers_up = 0.0660;  // 0.95 F(z) = 0.5: with 5 % far above.
  return {
      {"normal", 400, [=](Random& r) { return 400 * (1 + spread * normal(r)); }},
      {"lognormal", 400, [=](Random& r) { return 400 * std::exp(spread * normal(r)); }},
      {"heavy tail", 400,
       [=](Random& r) { return 400 * (1 + spread * std::cauchy_distribution<double>()(r)); }},
      {"one-sided", 400,
       [=](Random& r) {
         return 400 * (1 + spread * (std::exponential_distribution<double>()(r) - std::log(2.0)));
       }},
      {"outliers", 400 * (1 + spread * outliers_up),
       [=](Random& r) {
         const bool out = std::bernoulli_distribution(0.05)(r);
         return out ? 900.0 : 400 * (1 + spread * normal(r));
       }},
      {"whole clocks of 400", 400,
       [=](Random& r) { return std::round(400.2 * (1 + spread * normal(r))); }},
      {"whole clocks of 30", 30,
       [=](Random& r) { return std::round(30 * (1 + spread * normal(r))); }},
  };
}

/// All with a target of 1 %: only the ratio of noise and target matters, but for whole clocks.
constexpr double kTarget = 0.01;

std::vector<Planted> all_planted() {
  std::vector<Planted> all = {{"constant", 37, [](Random&) { return 37.0; }}};
  for (const double spread : {0.002, 0.01, 0.02, 0.03, 0.04})
    std::ranges::move(noises(spread), std::back_inserter(all));
  for (const double rarer : {0.1, 0.2, 0.3, 0.4})
    all.push_back({"two modes", 400, [=](Random& r) {
                     return std::bernoulli_distribution(rarer)(r) ? 440.0 : 400.0;
                   }});
  return all;
}

bool is_right(double value, const Planted& planted) {
  return std::abs(value - planted.truth) <= kTarget * std::abs(value);
}

/// The smallest fixed number of repetitions at which 95 % of the runs have an interval (of 95 %,
/// fixed beforehand) and a median within the target.
std::size_t needed(const Planted& planted, Random& random) {
  std::vector<std::vector<double>> runs(400);
  for (std::size_t n = 1;; ++n) {
    const std::size_t rank = median_rank(n, kIntervalError);
    std::size_t good = 0;
    for (std::vector<double>& run : runs) {
      const double value = planted.next(random);
      run.insert(std::ranges::upper_bound(run, value), value);
      if (rank == 0) continue;
      const double median = (run[(n - 1) / 2] + run[n / 2]) / 2;
      const Interval interval{run[rank - 1], run[n - rank]};
      good += is_right(median, planted) && is_within(median, interval, kTarget);
    }
    if (good * 100 >= runs.size() * 95) return n;
  }
}

struct Ended {
  std::size_t repetitions = 0;
  double value = 0;
  Interval interval;
  bool settled = false;
};

Ended run(const Planted& planted, Random& random, const std::vector<Look>& all, Reduce how) {
  Ended ended;
  std::vector<double> values;
  for (const Look& look : all) {
    while (values.size() < look.repetitions) values.push_back(planted.next(random));
    ended = {values.size(), reduce_values(values, how), interval_of(values, how, look.error)};
    ended.settled = is_within(ended.value, ended.interval, kTarget);
    if (ended.settled) break;
  }
  return ended;
}

}  // namespace

TEST_CASE("a run reaches its target, and takes no more than twice what it needs") {
  const std::vector<Planted> all = all_planted();
  const std::vector<Look> looked = looks(1000);
  Random random(71077);
  int cases = 0, reached = 0, in_time = 0;
  for (const Planted& planted : all) {
    const std::size_t enough = needed(planted, random);
    REQUIRE(enough <= 500);  // Twice as many are within the cap.
    int good = 0;
    for (int i = 0; i < 30; ++i, ++cases) {
      const Ended ended = run(planted, random, looked, Reduce::median);
      const bool right = ended.settled && is_right(ended.value, planted) &&
                         ended.interval.low <= planted.truth &&
                         planted.truth <= ended.interval.high;
      good += right;
      reached += right;
      in_time += ended.settled && ended.repetitions <= 2 * enough;
    }
    CAPTURE(planted.name);
    CHECK(good >= 24);  // No kind of noise is left behind: 95 % of 30 less four deviations.
  }
  MESSAGE(cases, " cases: ", reached, " reached, ", in_time, " in time");
  CHECK(cases >= 1000);
  CHECK(reached * 100 >= cases * 95);
  CHECK(in_time * 100 >= cases * 90);
}

TEST_CASE("all looks together miss the median in 5 % of runs at most") {
  Random random(4711);
  for (const std::uint32_t most : {10u, 40u, 1000u}) {
    const std::vector<Look> all = looks(most);
    int missed = 0;
    constexpr int kRuns = 3000;
    for (int i = 0; i < kRuns; ++i) {
      std::size_t below = 0, n = 0;
      bool miss = false;
      for (const Look& look : all) {
        for (; n < look.repetitions; ++n) below += random() & 1;
        const std::size_t rank = median_rank(n, look.error);
        miss |= below < rank || n - below < rank;
      }
      missed += miss;
    }
    CAPTURE(most);
    CHECK(missed <= kRuns * 0.05 + 4 * std::sqrt(kRuns * 0.05 * 0.95));
    if (most == 1000) CHECK(missed >= kRuns * 0.03);  // Nor is it wasted.
  }
}

TEST_CASE("looks grow by a fifth and end at the cap") {
  for (const std::uint32_t most : {10u, 11u, 200u, 10000u}) {
    const std::vector<Look> all = looks(most);
    CHECK(all.front().repetitions == kFirstLook);
    CHECK(all.back().repetitions == most);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(median_rank(all[i].repetitions, all[i].error) > 0);
      CHECK(all[i].error < kIntervalError);
      if (i > 0) CHECK(all[i].repetitions > all[i - 1].repetitions);
      if (i > 0) CHECK(all[i].repetitions <= std::ceil(all[i - 1].repetitions * 1.2));
    }
  }
  const std::vector<Look> all = looks(200);
  CHECK(error_at(all, all[2].repetitions) == all[2].error);
  CHECK(error_at(all, all[2].repetitions + 1) == all[2].error);
  CHECK(error_at(all, 3) == all[0].error);
}

TEST_CASE("means settle in the same way where the noise has a variance") {
  Random random(99);
  const std::vector<Look> looked = looks(1000);
  for (const Reduce how : {Reduce::mean, Reduce::harmonic_mean}) {
    const Planted planted{"normal", 400, [](Random& r) { return 400 * (1 + 0.02 * normal(r)); }};
    // n / sum(1/v) of 1 + s z is 1 - s^2 to the second order.
    const double truth = how == Reduce::mean ? 400 : 400 * (1 - 0.02 * 0.02);
    int reached = 0;
    for (int i = 0; i < 500; ++i) {
      const Ended ended = run(planted, random, looked, how);
      reached += ended.settled && ended.interval.low <= truth && truth <= ended.interval.high;
    }
    CHECK(reached >= 475);
  }
}

TEST_CASE("what has no number needs none, what has no interval is never within") {
  CHECK(is_within(NAN, {}, 0.01));
  CHECK_FALSE(is_within(5, {}, 0.01));
  CHECK(is_within(0, {0, 0}, 0.01));
  CHECK_FALSE(is_within(0, {-1, 1}, 0.01));
  CHECK(is_within(-100, {-100.5, -99.5}, 0.01));
  CHECK_FALSE(is_within(100, {100, 101.5}, 0.01));
}
