#include "runtime/fleet/board.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpx;
using namespace gpx::fleet;

namespace {

ExperimentResult result_on(const std::string& serial, bool measured = true) {
  ExperimentResult result;
  result.experiment.name = "made";
  result.device.name = "GPU";
  result.device.measured = measured;
  result.device.uuid = serial;
  Finding finding;
  finding.name = "l1.latency";
  finding.unit = "clocks";
  finding.value = 32.0;
  finding.verdict = Verdict::measured;
  result.findings.push_back(finding);
  return result;
}

report::RunOrigin origin_of(const std::string& id) {
  report::RunOrigin origin;
  origin.id = id;
  return origin;
}

}  // namespace

TEST_CASE("runs of one serial are one board") {
  Gathering gathering;
  const auto first = origin_of("a1"), second = origin_of("a2"), third = origin_of("a3");
  REQUIRE(gathering.begin({"x.db", 1, {}}, &first));
  REQUIRE(gathering.add(result_on("GPU-1")));
  REQUIRE(gathering.begin({"x.db", 2, {}}, &second));
  REQUIRE(gathering.add(result_on("GPU-1")));
  REQUIRE(gathering.begin({"y.db", 1, {}}, &third));
  REQUIRE(gathering.add(result_on("GPU-0")));
  const Fleet fleet = gathering.take();
  REQUIRE(fleet.boards.size() == 2);
  CHECK(fleet.boards[0].serial == "GPU-0");
  CHECK(fleet.boards[1].runs.size() == 2);
  CHECK(fleet.findings.size() == 1);
  CHECK(reading_text(fleet.findings[0], fleet.boards[1].readings[0]) == "32 clocks");
}

TEST_CASE("a board without a serial is an error with its place") {
  Gathering gathering;
  const auto origin = origin_of("a1");
  REQUIRE(gathering.begin({"x.db", 7, {}}, &origin));
  const auto added = gathering.add(result_on(""));
  REQUIRE_FALSE(added);
  CHECK(added.error().diagnostics.front().message ==
        "run 7 of 'x.db', experiment 'made': 'GPU' has no serial");
  const auto virtual_one = gathering.add(result_on("", false));
  REQUIRE_FALSE(virtual_one);
  CHECK(virtual_one.error().diagnostics.front().hint.find("k20#board-7") != std::string::npos);
}

TEST_CASE("a virtual board's name ends in its serial") {
  Gathering gathering;
  REQUIRE(gathering.begin({"x.db", 1, {}}, nullptr));
  ExperimentResult result = result_on("", false);
  result.device.name = "k20#board-7";
  REQUIRE(gathering.add(result));
  const Fleet fleet = gathering.take();
  CHECK(fleet.boards[0].serial == "board-7");
  CHECK(fleet.boards[0].device == "k20 (virtual)");
}

TEST_CASE("one run in two stores is an error with both places") {
  Gathering gathering;
  const auto origin = origin_of("a1");
  REQUIRE(gathering.begin({"x.db", 7, {}}, &origin));
  const auto again = gathering.begin({"y.db", 2, {}}, &origin);
  REQUIRE_FALSE(again);
  CHECK(again.error().diagnostics.front().message ==
        "run 7 of 'x.db' and run 2 of 'y.db' are the same run");
}

TEST_CASE("a finding has the unit of the run that measured it") {
  Gathering gathering;
  ExperimentResult empty = result_on("GPU-1"), whole = result_on("GPU-2");
  empty.findings[0].value = {};
  empty.findings[0].unit.clear();
  empty.findings[0].verdict = Verdict::inconclusive;
  REQUIRE(gathering.begin({"x.db", 1, {}}, nullptr));
  REQUIRE(gathering.add(empty));
  REQUIRE(gathering.begin({"x.db", 2, {}}, nullptr));
  REQUIRE(gathering.add(whole));
  const Fleet fleet = gathering.take();
  REQUIRE(fleet.findings.size() == 1);
  CHECK(fleet.findings[0].unit == "clocks");
  CHECK(fleet.findings[0].kind->part == Part::l1);
}

TEST_CASE("an experiment that failed is a problem of its run") {
  Gathering gathering;
  REQUIRE(gathering.begin({"x.db", 1, {}}, nullptr));
  ExperimentResult result = result_on("GPU-1");
  result.findings.clear();
  result.interrupted = true;
  REQUIRE(gathering.add(result));
  const Fleet fleet = gathering.take();
  REQUIRE(fleet.boards[0].runs[0].problems.size() == 1);
  CHECK(fleet.boards[0].runs[0].problems[0] == "'made' was interrupted");
}

TEST_CASE("a cached load as slow as an uncached one is L2's") {
  for (const double cached : {32.0, 222.0}) {
    Gathering gathering;
    REQUIRE(gathering.begin({"made", 1, {}}, nullptr));
    ExperimentResult result = result_on("GPU-0");
    result.findings.clear();
    for (const auto& [name, value] : {std::pair("global.ca.level1.latency", cached),
                                      std::pair("global.cg.level1.latency", 220.0)}) {
      Finding& finding = result.findings.emplace_back();
      finding.name = name;
      finding.unit = "clocks";
      finding.value = value;
      finding.verdict = Verdict::measured;
    }
    REQUIRE(gathering.add(result));
    const Fleet fleet = gathering.take();
    const auto at = std::ranges::find(fleet.findings, std::string("global.ca.level1.latency"),
                                      &FindingName::name);
    REQUIRE(at != fleet.findings.end());
    CHECK(at->kind->part == (cached < 100 ? Part::l1 : Part::l2));
  }
}
