// l2_map on planted distances: partitions, groups of SMs, and what the samples do not decide.
#include <functional>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

struct Plan {
  unsigned sms = 12, lines = 32;
  int repetitions = 4;
  double noise = 2;  ///< Clocks, upwards only.
  std::function<double(unsigned sm, unsigned line)> clocks;
};

/// Something between 0 and 1 by two numbers.
double part(unsigned a, unsigned b) {
  std::uint32_t x = (a * 2654435761u) ^ (b * 40503u + 77);
  x ^= x >> 15, x *= 0x85ebca77u, x ^= x >> 13;
  return x / 4294967296.0;
}

Samples samples_of(const Plan& plan) {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {number_column("line", Role::axis), number_column("sm", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("latency", Role::observed, Unit::clock)};
  std::mt19937 random(7);
  std::exponential_distribution<double> noise(1 / std::max(plan.noise, 1e-9));
  for (unsigned line = 0; line < plan.lines; ++line)
    for (unsigned sm = 0; sm < plan.sms; ++sm)
      for (int r = 0; r < plan.repetitions; ++r) {
        const double one = plan.clocks(sm, line), reads = 20;
        add_cells(samples, {double(line), double(sm), "map", double(r),
                            std::floor(reads + one + noise(random))});
        add_cells(samples, {double(line), double(sm), "two", double(r),
                            std::floor(reads + 2 * one + 2 * noise(random))});
      }
  return samples;
}

Findings findings_of(const Plan& plan) {
  return Findings(statement("l2_map", {{"line", "line"}}), samples_of(plan), device_of(plan.sms));
}

unsigned side_of_line(unsigned line) {
  return part(line, 3) < 0.5 ? 0 : 1;
}

}  // namespace

TEST_CASE("planted sides and groups come back, and the clocks of near and far") {
  Plan plan;
  const unsigned side[] = {0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1};
  const unsigned group[] = {0, 4, 5, 0, 1, 4, 1, 5, 5, 0, 1, 4};
  plan.clocks = [&](unsigned sm, unsigned line) {
    return 260 + 30 * part(sm, 999) + 20 * part(group[sm], line) +
           (side[sm] == side_of_line(line) ? 0 : 190);
  };
  const Findings found = findings_of(plan);
  CHECK(found.number("l2.map.partitions") == 2);
  CHECK(found["l2.map.partitions"].note.find("(0, 3-4, 6, 9-10)") != std::string::npos);
  CHECK(found.number("l2.map.groups[level=1]") == 2);
  CHECK(found.number("l2.map.groups[level=2]") == 4);
  CHECK(found["l2.map.groups[level=2]"].note.find("0, 3, 9; 1, 5, 11; 2, 7-8; 4, 6, 10") !=
        std::string::npos);
  CHECK(found.number("l2.map.near") == doctest::Approx(286).epsilon(0.03));
  CHECK(found.number("l2.map.far") == doctest::Approx(476).epsilon(0.03));
  CHECK_FALSE(found.find("l2.map.groups[level=3]"));
}

TEST_CASE("groups without sides are groups, and no partitions") {
  Plan plan;
  plan.clocks = [](unsigned sm, unsigned line) { return 260 + 40 * part(sm / 4, line); };
  const Findings found = findings_of(plan);
  CHECK(found["l2.map.partitions"].verdict == Verdict::not_observed);
  CHECK(found.number("l2.map.groups[level=1]") == 3);
}

TEST_CASE("SMs that differ by a constant and by noise alone are not told apart") {
  Plan plan;
  for (const double noise : {0.0, 1.0, 5.0}) {
    CAPTURE(noise);
    plan.noise = noise;
    plan.clocks = [](unsigned sm, unsigned line) { return 260 + 3.0 * sm + 40 * part(9, line); };
    const Findings found = findings_of(plan);
    CHECK(found["l2.map.partitions"].verdict == Verdict::not_observed);
    CHECK(found["l2.map.groups"].verdict == Verdict::not_observed);
  }
}

TEST_CASE("SMs whose distances differ evenly make no groups") {
  Plan plan;
  plan.clocks = [](unsigned sm, unsigned line) { return 260 + 4.0 * sm * part(1, line); };
  CHECK(findings_of(plan)["l2.map.groups"].verdict == Verdict::not_observed);
}

TEST_CASE("too few lines decide nothing, one repetition is refused") {
  Plan plan;
  plan.clocks = [](unsigned, unsigned) { return 260.0; };
  plan.lines = 8;
  CHECK(findings_of(plan)["l2.map"].verdict == Verdict::inconclusive);
  plan.repetitions = 1;
  CHECK(
      refusal(statement("l2_map", {{"line", "line"}}), samples_of(plan)).find("repeat 2 or more") !=
      std::string::npos);
}
