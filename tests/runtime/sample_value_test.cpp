#include "runtime/analysis/sample_value.h"

#include <doctest/doctest.h>

#include <limits>

#include "lang/language.h"
#include "runtime/analysis/expectation.h"

using namespace gpx;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Four points of n and state, with latencies in clocks; one was not observed.
Samples curves() {
  using Role = Column::Role;
  return {{{"n", Unit::none, Role::axis, false, {1, 1, 2, 2}, {}},
           {"state", Unit::none, Role::axis, true, {}, {"cold", "warm", "cold", "warm"}},
           {"latency", Unit::clock, Role::observed, false, {400, 40, kNone, 60}, {}}}};
}

Experiment experiment(const std::string& expect) {
  const Source source(
      "t", "experiment e { sweep n 1..3, state in [cold, warm]\n < load unique(4B) x n >\nexpect " +
               expect + " }");
  auto all = check(*parse(source), source);
  if (!all) FAIL(render(all.error()));
  return std::move(all->at(0));
}

ExpectationResult judged(const std::string& expect) {
  const Experiment e = experiment(expect);
  return judge_expectations(e, sample_values(e, curves()), DeviceInfo{}).at(0);
}

}  // namespace

TEST_CASE("expectations over all points hold, or fail with the number and its point") {
  const struct {
    const char* expect;
    bool pass;
    const char* reason;
  } cases[] = {
      {"max(latency) < 500clocks", true, ""},
      {"max(latency) < 300clocks", false, "max(latency) is 400clocks at n=1, state=cold"},
      {"min(latency) > 50clocks", false, "min(latency) is 40clocks at n=1, state=warm"},
      {"max(latency[state=warm]) == 60clocks", true, ""},
      {"mean(latency[state=warm]) == 50clocks", true, ""},
      {"median(latency) within 59clocks..61clocks", true, ""},
      {"median(latency) > 100clocks", false, "median(latency) is 60clocks"},
      {"max(latency[n=1]) / min(latency[n=1]) == 10", true, ""},
      {"max(latency[n=2,state=cold]) > 1clocks", false,
       "max(latency[n=2,state=cold]) is inconclusive: no point has a number there"},
      {"not max(latency[n=3]) > 1clocks", false,
       "max(latency[n=3]) is inconclusive: no point has a number there"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.expect);
    const ExpectationResult result = judged(one.expect);
    CHECK(result.pass == one.pass);
    CHECK(result.reason == one.reason);
  }
}

TEST_CASE("of equal values the first is named, and none where all are equal") {
  const auto reason_of = [](const std::vector<double>& latencies) {
    Samples samples = curves();
    samples.columns[2].numbers = latencies;
    const Experiment e = experiment("max(latency) < 1clocks");
    return judge_expectations(e, sample_values(e, samples), DeviceInfo{}).at(0).reason;
  };
  CHECK(reason_of({5, 7, 7, kNone}) == "max(latency) is 7clocks at n=1, state=warm");
  CHECK(reason_of({7, 7, 7, 7}) == "max(latency) is 7clocks");
  CHECK(reason_of({7, kNone, kNone, kNone}) == "max(latency) is 7clocks at n=1, state=cold");
}

TEST_CASE("a rate is compared in its unit, and said in GB of 10^9 bytes") {
  const Source source("t",
                      "experiment e { observe time < load unique(4B) >\n"
                      "derive bandwidth = bytes / time\n expect max(bandwidth) > 2GiB / s }");
  auto all = check(*parse(source), source);
  if (!all) FAIL(render(all.error()));
  Samples samples{{{"bandwidth", Unit::byte_per_second, Column::Role::observed, false, {}, {}}}};
  const auto judge = [&](double rate) {
    samples.columns[0].numbers = {rate};
    return judge_expectations(all->at(0), sample_values(all->at(0), samples), DeviceInfo{}).at(0);
  };
  CHECK(judge(3e9).pass);
  CHECK(judge(1.5e9).reason == "max(bandwidth) is 1.5GB/s");
}
