#include "runtime/measure/until.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpx;

namespace {

using Role = Column::Role;

/// Two points: the first with 10 equal repetitions, the second with `noisy`.
Samples two_points(const std::vector<double>& noisy) {
  Samples samples;
  samples.columns = {{"warps", Unit::none, Role::axis, false, {}, {}},
                     {"repetition", Unit::none, Role::repetition, false, {}, {}},
                     {"latency", Unit::clock, Role::observed, false, {}, {}},
                     {"bytes", Unit::byte, Role::observed, false, {}, {}},
                     {"sm", Unit::none, Role::observed, false, {}, {}}};
  const auto add = [&](double warps, std::size_t repetition, double latency) {
    const double row[] = {warps, double(repetition), latency, 128, double(repetition % 3)};
    for (std::size_t c = 0; c < 5; ++c) samples.columns[c].numbers.push_back(row[c]);
  };
  for (std::size_t r = 0; r < 10; ++r) add(1, r, 100);
  for (std::size_t r = 0; r < noisy.size(); ++r) add(17, r, noisy[r]);
  return samples;
}

Experiment until(double percent, std::uint32_t most) {
  Experiment experiment;
  experiment.until_percent = percent;
  experiment.repeat = most;
  return experiment;
}

std::vector<double> ramp(std::size_t count, double first, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(first + step * double(i));
  return values;
}

}  // namespace

TEST_CASE("a reduced row tells its repetitions, its intervals and whether it reached the target") {
  const Samples reduced = reduce(two_points(ramp(20, 400, 5)), until(1, 20));
  REQUIRE(reduced.rows() == 2);
  CHECK(reduced.find("repetitions")->numbers == std::vector<double>{10, 20});
  CHECK(reduced.find("reached")->numbers == std::vector<double>{1, 0});
  CHECK(reduced.find("latency_low")->numbers[0] == 100);
  CHECK(reduced.find("latency_high")->unit == Unit::clock);
  const Interval wide = interval_at(reduced, *reduced.find("latency"), 1);
  const std::size_t rank = median_rank(20, looks(20).back().error);
  CHECK(wide.low == 400 + 5 * (double(rank) - 1));
  CHECK(wide.high == 400 + 5 * (20 - double(rank)));
  // What describes a launch or a place is not measured.
  CHECK(reduced.find("bytes_low") == nullptr);
  CHECK(reduced.find("sm_low") == nullptr);
}

TEST_CASE("a fixed number of repetitions has intervals and no target") {
  Experiment experiment;
  experiment.repeat = 3;
  const Samples reduced = reduce(two_points({7, 5, 9}), experiment);
  CHECK(reduced.find("reached") == nullptr);
  CHECK(reduced.find("latency_low")->numbers == std::vector<double>{100, 5});
  CHECK(reduced.find("latency_high")->numbers == std::vector<double>{100, 9});
  CHECK_FALSE(unsettled(reduced, experiment));
}

TEST_CASE("points that end at the cap are told, with the worst") {
  const Experiment experiment = until(1, 20);
  const auto open = unsettled(reduce(two_points(ramp(20, 400, 5)), experiment), experiment);
  REQUIRE(open);
  CHECK(*open ==
        "1 of 2 points is not within 1 % after 20 repetitions: latency is ±6.1 % at warps=17");
  CHECK_FALSE(unsettled(reduce(two_points(ramp(20, 400, 0.1)), experiment), experiment));
  // The variance of neighbours is computed of points, not measured at one.
  Samples curves = reduce(two_points(ramp(20, 400, 5)), experiment);
  curves = with_neighbour_variance(std::move(curves), "warps", "latency");
  CHECK(unsettled(curves, experiment) == open);
  // Too few of the repetitions observed anything.
  std::vector<double> few(20, std::nan(""));
  few[3] = few[4] = 7;
  CHECK(unsettled(reduce(two_points(few), experiment), experiment)
            ->find("latency is without an interval at warps=17") != std::string::npos);
  // None did: there is nothing to know.
  CHECK_FALSE(
      unsettled(reduce(two_points(std::vector<double>(10, std::nan(""))), experiment), experiment));
}
