#include "runtime/store/diff.h"

#include <doctest/doctest.h>

#include <random>

#include "runtime/store/rank_test.h"

using namespace gpx;
using namespace gpx::store;

namespace {

/// Latencies of 1..points threads, `repetitions` of each, by level(thread) and normal noise.
ExperimentResult curve(int points, int repetitions, double sigma, unsigned seed,
                       const std::function<double(int)>& level) {
  using Role = Column::Role;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  ExperimentResult result;
  result.experiment.name = "e";
  result.samples.columns = {{"threads", Unit::none, Role::axis, false, {}, {}},
                            {"repetition", Unit::none, Role::repetition, false, {}, {}},
                            {"latency", Unit::clock, Role::observed, false, {}, {}}};
  for (int point = 1; point <= points; ++point) {
    for (int r = 0; r < repetitions; ++r) {
      result.samples.columns[0].numbers.push_back(point);
      result.samples.columns[1].numbers.push_back(r);
      result.samples.columns[2].numbers.push_back(level(point) + (sigma > 0 ? noise(random) : 0));
    }
  }
  return result;
}

RunResult run_of(ExperimentResult result) {
  RunResult run;
  run.experiments = {std::move(result)};
  return run;
}

Comparison curves(ExperimentResult a, ExperimentResult b) {
  const auto all = diff(run_of(std::move(a)), run_of(std::move(b)));
  REQUIRE(all.size() == 1);
  CHECK(all[0].is_curve);
  CHECK(all[0].what == "latency over threads");
  return all[0];
}

/// "about N repetitions would decide": N, or 0.
int repetitions_wanted(const std::string& why) {
  const std::size_t at = why.find("about ");
  return at == std::string::npos ? 0 : std::stoi(why.substr(at + 6));
}

Finding number(double value, std::optional<double> low, std::optional<double> high,
               Verdict verdict = Verdict::measured) {
  Finding finding;
  finding.name = "f";
  finding.unit = "clocks";
  finding.verdict = verdict;
  if (verdict == Verdict::measured) finding.value = value;
  finding.low = low;
  finding.high = high;
  return finding;
}

Finding text(const std::string& value) {
  Finding finding = number(0, {}, {});
  finding.value = value;
  return finding;
}

Likeness findings(const Finding& a, const Finding& b, int points_b = 4) {
  ExperimentResult one = curve(4, 1, 0, 1, [](int) { return 1; });
  ExperimentResult two = curve(points_b, 1, 0, 1, [](int) { return 1; });
  one.findings = {a};
  two.findings = {b};
  const auto all = diff(run_of(one), run_of(two));
  CHECK_FALSE(all.front().why.empty());
  return all.front().likeness;
}

const auto flat = [](int) { return 400.0; };

}  // namespace

TEST_CASE("findings: intervals decide, and where they do not, nothing is claimed") {
  using enum Likeness;
  const Finding a = number(100, 98, 102);
  CHECK(findings(a, number(101, 99, 103)) == same);
  CHECK(findings(a, number(110, 108, 112)) == different);
  CHECK(findings(a, number(103, 101, 105)) == cannot_tell);
  CHECK(findings(a, number(101, 99, {})) == same);
  CHECK(findings(a, number(103, {}, {})) == cannot_tell);
  CHECK(findings(number(44, {}, {}), number(44, {}, {})) == same);
  CHECK(findings(number(42, 42, 42), number(43, 43, 43)) == different);
  Finding bytes = a;
  bytes.unit = "B";
  CHECK(findings(a, bytes) == cannot_tell);
  CHECK(findings(text("PRT"), text("PRT")) == same);
  CHECK(findings(text("PRT"), text("MSHR")) == different);
  CHECK(findings(text("PRT"), a) == cannot_tell);
  const Finding none = number(0, {}, {}, Verdict::not_observed);
  const Finding open = number(0, {}, {}, Verdict::inconclusive);
  CHECK(findings(none, none) == same);
  CHECK(findings(none, a) == different);
  CHECK(findings(none, a, 5) == cannot_tell);
  CHECK(findings(open, a) == cannot_tell);
  CHECK(findings(open, open) == cannot_tell);
  Finding other = a;
  other.name = "g";
  CHECK(findings(a, other) == cannot_tell);
}

TEST_CASE("curves: a shift above the noise is found, one below it is not claimed") {
  using enum Likeness;
  CHECK(curves(curve(64, 3, 4, 1, flat), curve(64, 3, 4, 1, flat)).likeness == same);
  CHECK(curves(curve(64, 3, 2, 1, flat), curve(64, 3, 2, 2, flat)).likeness == same);
  CHECK(curves(curve(64, 3, 4, 1, flat), curve(64, 3, 4, 2, [](int) { return 410.0; })).likeness ==
        different);
  // A tenth of the points, half of them up and half of them down.
  CHECK(curves(curve(200, 3, 1, 1, flat),
               curve(200, 3, 1, 2,
                     [](int x) { return x % 20 == 0    ? 430.0
                                        : x % 20 == 10 ? 370.0
                                                       : 400.0; }))
            .likeness == different);
  // Two points of many, and noise that leaves it open.
  const auto two = [](int x) { return x < 3 ? 430.0 : 400.0; };
  CHECK(curves(curve(200, 3, 0, 1, flat), curve(200, 3, 0, 2, two)).likeness == cannot_tell);
  CHECK(curves(curve(200, 9, 1, 1, flat), curve(200, 9, 1, 2, two)).likeness == different);
  // Noise that hides a shift of a percent.
  CHECK(curves(curve(16, 3, 60, 1, flat), curve(16, 3, 60, 2, flat)).likeness == cannot_tell);
}

TEST_CASE("diff_constant_derived: a column that is one number in each run differs without chance") {
  using enum Likeness;
  const auto peak = [](int) { return 500.0; };
  const Comparison found = curves(curve(4, 2, 0, 1, flat), curve(4, 2, 0, 1, peak));
  CHECK(found.likeness == different);
  CHECK(found.why == "4 of 4 points differ, and no chance is in the column");
  CHECK(curves(curve(2, 2, 0, 1, flat), curve(2, 2, 0, 1, peak)).likeness == cannot_tell);
}

TEST_CASE("curves: counts of a launch, alike in all repetitions, differ without any chance") {
  using enum Likeness;
  const auto counts = [](double trips, int repetitions) {
    ExperimentResult made = curve(2, repetitions, 0, 1, [trips](int) { return trips; });
    made.samples.columns.back().name = "loop_trips";
    return made;
  };
  const auto compared = [](const ExperimentResult& a, const ExperimentResult& b) {
    return diff(run_of(a), run_of(b));
  };
  const auto all = compared(counts(3, 1), counts(2, 1));
  REQUIRE(all.size() == 1);
  CHECK(all[0].likeness == different);
  CHECK(all[0].why == "2 of 2 points differ, and no chance is in the column");
  CHECK(compared(counts(3, 3), counts(3, 3)).empty());
}

TEST_CASE("curves: few repetitions and points cannot show a difference, whatever they are") {
  using enum Likeness;
  const auto high = [](int) { return 900.0; };
  CHECK(curves(curve(1, 3, 0, 1, flat), curve(1, 3, 0, 1, high)).likeness == cannot_tell);
  CHECK(curves(curve(4, 1, 0, 1, flat), curve(4, 1, 0, 1, high)).likeness == cannot_tell);
  CHECK(curves(curve(32, 1, 0, 1, flat), curve(32, 1, 0, 1, high)).likeness == different);
  CHECK(curves(curve(4, 3, 0, 1, flat), curve(4, 3, 0, 1, flat)).likeness == same);
  CHECK(curves(curve(4, 3, 0, 1, flat), curve(5, 3, 0, 1, flat)).likeness == cannot_tell);
}

TEST_CASE("without a difference few comparisons claim one") {
  int different = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const auto judged =
        curves(curve(40, 3, 5, 2 * seed + 1, flat), curve(40, 3, 5, 2 * seed + 2, flat));
    different += judged.likeness == Likeness::different ? 1 : 0;
  }
  CHECK(different <= 8);  // 1 % of 400 is 4.
}

TEST_CASE("the rank test knows ties, and what so few repetitions can show at most") {
  CHECK(rank_test({}) == 1);
  CHECK(rank_test({{{5, 5, 5}, {5, 5, 5}}}) == 1);
  CHECK(rank_test({{{1, 2, 3}, {4, 5, 6}}}) == doctest::Approx(0.2));
  CHECK(rank_test({{{1}, {2}}}) == 1);
  std::vector<Stratum> many(20, Stratum{{1, 1, 2}, {1, 1, 2}});
  CHECK(rank_test(many) > 0.9);
  CHECK_FALSE(shift_of({many.begin(), many.begin() + 7}).has_value());
  REQUIRE(shift_of(many).has_value());
  CHECK(shift_of(many)->high == 0);
}

TEST_CASE("a column of the launches is named only where it differs") {
  const auto launches = [](double registers) {
    ExperimentResult result = curve(8, 2, 0, 1, [](int) { return 100.0; });
    result.samples.columns.push_back(
        {"registers", Unit::none, Column::Role::observed, false, std::vector(16, registers), {}});
    return result;
  };
  CHECK(curves(launches(12), launches(12)).likeness == Likeness::same);
  const auto all = diff(run_of(launches(12)), run_of(launches(16)));
  REQUIRE(all.size() == 2);
  CHECK(all[1].what == "registers over threads");
  CHECK(all[1].likeness != Likeness::same);
}

TEST_CASE("an experiment that one run lacks is named") {
  const auto all = diff(run_of(curve(4, 1, 0, 1, flat)), {});
  REQUIRE(all.size() == 1);
  CHECK(all[0].why == "only the first run has it");
}

TEST_CASE("curves without a point in common are one line of their experiment") {
  ExperimentResult a = curve(4, 1, 0, 1, flat), b = curve(4, 1, 0, 1, flat);
  for (ExperimentResult* each : {&a, &b})
    each->samples.columns.push_back({"time",
                                     Unit::second,
                                     Column::Role::observed,
                                     false,
                                     each->samples.columns[2].numbers,
                                     {}});
  for (double& threads : b.samples.columns[0].numbers) threads += 10;
  const auto all = diff(run_of(a), run_of(b));
  REQUIRE(all.size() == 1);
  CHECK(all[0].what == "all curves");
  CHECK(all[0].is_curve);
  CHECK(all[0].likeness == Likeness::cannot_tell);
  CHECK(all[0].apart);
  CHECK(all[0].why == "the runs have no point in common: they sweep other values");
  b.samples.columns[0].numbers.front() = 1;
  const auto one = diff(run_of(a), run_of(b));
  CHECK(one.size() == 2);
  CHECK_FALSE(one[0].apart);
}

TEST_CASE("a curve that differs names the points that are furthest apart") {
  const auto level = [](int threads) { return 100.0 + threads; };
  const auto bent = [&](int threads) { return level(threads) * (threads == 9 ? 1.5 : 1.05); };
  const Comparison different = curves(curve(20, 5, 0, 1, level), curve(20, 5, 0, 2, bent));
  CHECK(different.likeness == Likeness::different);
  CHECK(different.worst.starts_with("furthest apart at threads=9: 109 clocks and 163.5 clocks"));
  CHECK(different.worst.find("(+50 %)") != std::string::npos);
  CHECK(curves(curve(20, 5, 0, 1, level), curve(20, 5, 0, 2, level)).worst.empty());
}

TEST_CASE("where neither can be told, so many repetitions tell") {
  const auto level = [](int) { return 100.0; };
  const auto compared = [&](int repetitions) {
    return curves(curve(12, repetitions, 3, 1, level), curve(12, repetitions, 3, 2, level));
  };
  const Comparison few = compared(3);
  REQUIRE(few.likeness == Likeness::cannot_tell);
  const int wanted = repetitions_wanted(few.why);
  CHECK(wanted > 3);
  CHECK(compared(4 * wanted).likeness == Likeness::same);  // A forecast, from noisy shifts.
}

TEST_CASE("intervals of findings that overlap too little say how many repetitions would decide") {
  ExperimentResult a = curve(3, 4, 0, 1, [](int) { return 1.0; }), b = a;
  a.findings = {number(100, 90, 110)};
  b.findings = {number(112, 102, 122)};
  const auto all = diff(run_of(a), run_of(b));
  REQUIRE(all.front().likeness == Likeness::cannot_tell);
  // The half widths, 20 together, must come down to the distance of 12: (20 / 12)^2 times 4.
  CHECK(repetitions_wanted(all.front().why) == 12);
}
