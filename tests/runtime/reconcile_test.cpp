#include "runtime/reconcile.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

struct Told {
  Verdict verdict = Verdict::measured;
  std::variant<std::monostate, double, std::string, bool, std::vector<double>> value;
  std::optional<double> low = {}, high = {};
};

/// Groups `first`, `second`, … that each found l2.latency.
std::vector<ExperimentResult> groups(const std::vector<Told>& all) {
  const char* const names[] = {"first", "second", "third"};
  std::vector<ExperimentResult> results;
  for (const Told& told : all) {
    ExperimentResult& result = results.emplace_back();
    result.experiment.name = names[results.size() - 1];
    Finding other;
    other.name = result.experiment.name + ".own";
    Finding finding;
    finding.name = "l2.latency";
    finding.value = told.value;
    finding.unit = "clocks";
    finding.low = told.low;
    finding.high = told.high;
    finding.verdict = told.verdict;
    finding.note = "a note";
    result.findings = {finding, other};
  }
  reconcile(results);
  reconcile(results);
  return results;
}

constexpr Verdict kAbsent = Verdict::not_observed, kOpen = Verdict::inconclusive;

}  // namespace

TEST_CASE("of what two groups measured the last one reports, and the first one confirms") {
  const auto found = groups({{{}, 439.0, 438, 442}, {{}, 441.0, 434, 447}});
  REQUIRE(found[0].findings.size() == 1);
  CHECK(found[0].findings[0].name == "first.own");
  REQUIRE(found[1].findings.size() == 2);
  const Finding& finding = found[1].findings[0];
  CHECK(std::get<double>(finding.value) == 441);
  CHECK(finding.verdict == Verdict::measured);
  CHECK(finding.note == "a note; confirmed by 439 clocks of group first");
}

TEST_CASE("values that exclude each other are no finding") {
  for (const auto& [a, b] :
       std::vector<std::pair<Told, Told>>{{{{}, 10.0, 9, 11}, {{}, 12.0, 11.5, 12.5}},
                                          {{{}, 10.0}, {{}, 12.0}},
                                          {{{}, "LRU"}, {{}, "FIFO"}},
                                          {{{}, true}, {{}, false}}}) {
    const Finding finding = groups({a, b})[1].findings[0];
    CHECK(finding.verdict == Verdict::inconclusive);
    CHECK(std::holds_alternative<std::monostate>(finding.value));
    CHECK_FALSE(finding.low.has_value());
    CHECK(finding.note.find("excludes") != std::string::npos);
    CHECK(finding.note.find("of group first") != std::string::npos);
  }
}

TEST_CASE("who measured it goes before who did not, wherever it stands") {
  const auto found = groups({{{}, 10.0, 9, 11}, {kOpen, {}}, {kAbsent, {}}});
  REQUIRE(found[0].findings.size() == 2);
  CHECK(found[0].findings[0].verdict == Verdict::measured);
  CHECK(found[0].findings[0].note == "a note; group third did not observe it");
  CHECK(found[1].findings.size() == 1);
  CHECK(found[2].findings.size() == 1);
}

TEST_CASE("what nobody measured is said by the last one, and outcomes stay") {
  auto found = groups({{kAbsent, {}}, {kOpen, {}}});
  CHECK(found[0].findings.size() == 1);
  CHECK(found[1].findings[0].verdict == Verdict::inconclusive);
  for (ExperimentResult& each : found) {
    each.findings.resize(1);
    each.findings[0].name = "outcome[n=1]";
  }
  reconcile(found);
  CHECK(found[0].findings.size() == 1);
  CHECK(found[1].findings.size() == 1);
}
