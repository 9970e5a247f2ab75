#include "runtime/measure/samples.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpx;

namespace {

Column numbers(const char* name, Column::Role role, std::vector<double> values) {
  return {name, Unit::none, role, false, std::move(values), {}};
}

Samples two_points() {
  Samples samples;
  samples.columns = {numbers("n", Column::Role::axis, {2, 2, 1, 1}),
                     {"state", Unit::none, Column::Role::axis, true, {}, {"b", "b", "a", "a"}},
                     numbers("repetition", Column::Role::repetition, {0, 1, 0, 1}),
                     numbers("latency", Column::Role::observed, {100, 300, 10, 10})};
  return samples;
}

}  // namespace

TEST_CASE("a reduction follows its definition") {
  struct Case {
    Reduce how;
    std::vector<double> values;
    double expected;
  };
  const std::vector<Case> cases = {{Reduce::harmonic_mean, {1, 2, 4}, 12.0 / 7},
                                   {Reduce::harmonic_mean, {100, 300}, 150},
                                   {Reduce::harmonic_mean, {0, 5}, 0},
                                   {Reduce::mean, {1, 2, 6}, 3},
                                   {Reduce::median, {9, 1, 5}, 5},
                                   {Reduce::median, {1, 2, 4, 100}, 3},
                                   {Reduce::min, {3, 1, 2}, 1},
                                   {Reduce::max, {3, 1, 2}, 3},
                                   {Reduce::median, {7}, 7}};
  for (const Case& one : cases) {
    CHECK(reduce_values(one.values, one.how) == doctest::Approx(one.expected).epsilon(1e-12));
  }
  CHECK(std::isnan(reduce_values({}, Reduce::mean)));
}

TEST_CASE("reducing keeps the sweep's order and drops the repetition") {
  const Samples reduced = reduce(two_points(), Reduce::harmonic_mean);
  REQUIRE(reduced.rows() == 2);
  CHECK(reduced.find("repetition") == nullptr);
  CHECK(reduced.find("n")->numbers == std::vector<double>{2, 1});
  CHECK(reduced.find("state")->texts == std::vector<std::string>{"b", "a"});
  CHECK(reduced.find("latency")->numbers[0] == doctest::Approx(150));
  CHECK(reduced.find("latency")->numbers[1] == doctest::Approx(10));
}

TEST_CASE("points without any axis are one point") {
  Samples samples;
  samples.columns = {numbers("repetition", Column::Role::repetition, {0, 1, 2}),
                     numbers("latency", Column::Role::observed, {4, 8, 6})};
  const Samples reduced = reduce(samples, Reduce::median);
  REQUIRE(reduced.rows() == 1);
  CHECK(reduced.find("latency")->numbers[0] == 6);
}

TEST_CASE("variance is that of a point and its two neighbours within a series") {
  Samples samples;
  // Two series of n, whose rows alternate; x out of order in the second.
  samples.columns = {numbers("n", Column::Role::axis, {1, 2, 1, 2, 1, 2}),
                     numbers("threads", Column::Role::axis, {2, 6, 4, 4, 6, 2}),
                     numbers("latency", Column::Role::observed, {10, 7, 12, 7, 17, 7})};
  const Samples with = with_neighbour_variance(samples, "threads", "latency");
  const std::vector<double>& variance = with.find("neighbour_variance")->numbers;
  CHECK(std::isnan(variance[0]));
  CHECK(std::isnan(variance[4]));
  CHECK(variance[2] == doctest::Approx(13));  // (9 + 1 + 16) / 2 about the mean 13
  CHECK(variance[3] == doctest::Approx(0));
  CHECK(std::isnan(variance[1]));
  CHECK(std::isnan(variance[5]));
}

TEST_CASE("variance along a word or of a missing column adds nothing") {
  CHECK(with_neighbour_variance(two_points(), "state", "latency").find("neighbour_variance") ==
        nullptr);
  CHECK(with_neighbour_variance(two_points(), "n", "time").find("neighbour_variance") == nullptr);
}

TEST_CASE("CSV holds every digit and quotes what it must") {
  Samples samples;
  samples.columns = {{"state", Unit::none, Column::Role::axis, true, {}, {"a,b", "say \"x\""}},
                     numbers("time", Column::Role::observed, {0.1, 1e-9 / 3}),
                     numbers("variance", Column::Role::observed, {std::nan(""), 1048576})};
  CHECK(to_csv(samples) ==
        "state,time,variance\n\"a,b\",0.1,\n\"say \"\"x\"\"\",3.3333333333333337e-10,1048576\n");
  CHECK(to_csv(Samples{}) == "\n");
}

TEST_CASE("records are reduced each by itself, and what was not observed does not count") {
  const double none = std::nan("");
  Samples samples;
  samples.columns = {
      numbers("n", Column::Role::axis, {1, 1, 1, 1, 2, 2}),
      numbers("repetition", Column::Role::repetition, {0, 0, 1, 1, 0, 1}),
      numbers("thread", Column::Role::record, {0, 1, 0, 1, none, none}),
      numbers("clock", Column::Role::observed, {10, 20, 30, 40, none, none}),
      numbers("seen", Column::Role::observed, {none, 1, 5, none, none, none}),
      {"outcome",
       Unit::none,
       Column::Role::observed,
       true,
       {},
       {"completed", "completed", "completed", "completed", "completed", "deadlock"}}};
  const Samples reduced = reduce(samples, Reduce::mean);
  REQUIRE(reduced.rows() == 3);
  CHECK(reduced.find("thread")->numbers[1] == 1);
  CHECK(std::isnan(reduced.find("thread")->numbers[2]));
  CHECK(reduced.find("clock")->numbers[0] == 20);
  CHECK(reduced.find("clock")->numbers[1] == 30);
  CHECK(std::isnan(reduced.find("clock")->numbers[2]));
  CHECK(reduced.find("seen")->numbers[0] == 5);
  CHECK(reduced.find("seen")->numbers[1] == 1);
  CHECK(reduced.find("outcome")->texts ==
        std::vector<std::string>{"completed", "completed", "completed or deadlock"});
}
