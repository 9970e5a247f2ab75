#include "runtime/analysis/outcome.h"

#include <doctest/doctest.h>

namespace gpx {
namespace {

Samples swept(std::vector<std::string> outcomes) {
  Samples samples;
  samples.columns = {
      {"registers", Unit::none, Column::Role::axis, false, {16, 16, 88, 88}, {}},
      {"size", Unit::byte, Column::Role::axis, false, {1024, 1024, 1024, 1024}, {}},
      {"repetition", Unit::none, Column::Role::repetition, false, {0, 1, 0, 1}, {}},
      {"outcome", Unit::none, Column::Role::observed, true, {}, std::move(outcomes)}};
  return samples;
}

TEST_CASE("a word where all samples agree, over all of them and at each point") {
  const auto findings =
      outcome_findings({}, swept({"completed", "completed", "deadlock", "deadlock"}));
  REQUIRE(findings.size() == 2);  // each point is decided: all of them say no more
  CHECK(findings[0].name == "outcome[registers=16,size=1KB]");
  CHECK(std::get<std::string>(findings[0].value) == "completed");
  CHECK(findings[1].name == "outcome[registers=88,size=1KB]");
  CHECK(findings[1].verdict == Verdict::measured);
  CHECK(std::get<std::string>(findings[1].value) == "deadlock");
  REQUIRE(findings[1].evidence.size() == 1);
  CHECK(std::get<Quantity>(findings[1].evidence[0][0].second).value == 88);
}

TEST_CASE("repetitions that differ make their point inconclusive") {
  const auto findings =
      outcome_findings({}, swept({"completed", "deadlock", "deadlock", "deadlock"}));
  REQUIRE(findings.size() == 3);
  CHECK(findings[1].verdict == Verdict::inconclusive);
  CHECK(findings[1].note == "completed in 1 sample, deadlock in 1 sample");
}

TEST_CASE("without a sweep there is one finding; the records of a launch are one sample") {
  Samples samples;
  samples.columns = {{"repetition", Unit::none, Column::Role::repetition, false, {0, 0, 1}, {}},
                     {"thread", Unit::none, Column::Role::record, false, {0, 1, 0}, {}},
                     {"outcome",
                      Unit::none,
                      Column::Role::observed,
                      true,
                      {},
                      {"completed", "completed", "deadlock"}}};
  const auto findings = outcome_findings({}, samples);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].note == "completed in 1 sample, deadlock in 1 sample");
}

TEST_CASE("a truth axis keeps its words, a measure without outcomes has no finding") {
  Experiment experiment;
  Axis axis;
  axis.name = "on";
  axis.values = {false, true};
  experiment.sweep.groups = {{axis}};
  Samples samples;
  samples.columns = {{"on", Unit::none, Column::Role::axis, false, {0, 1}, {}},
                     {"measure", Unit::none, Column::Role::axis, true, {}, {"a", "b"}},
                     {"repetition", Unit::none, Column::Role::repetition, false, {0, 0}, {}},
                     {"outcome", Unit::none, Column::Role::observed, true, {}, {"", "deadlock"}}};
  const auto findings = outcome_findings(experiment, samples);
  REQUIRE(findings.size() == 2);
  CHECK(findings[1].name == "outcome[on=true,measure=b]");
  samples.columns.pop_back();
  CHECK(outcome_findings(experiment, samples).empty());
}

}  // namespace
}  // namespace gpx
