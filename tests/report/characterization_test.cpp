#include <doctest/doctest.h>

#include "runtime/report/report.h"

using namespace gpx;
using namespace gpx::report;

namespace {

Finding measured(const std::string& name, double value, const std::string& unit) {
  Finding finding;
  finding.name = name;
  finding.value = value;
  finding.unit = unit;
  finding.verdict = Verdict::measured;
  return finding;
}

ExperimentResult group(const std::string& name, std::vector<Finding> findings) {
  ExperimentResult result;
  result.experiment.name = name;
  result.file = "memory.gpx";
  result.device.name = "mine";
  result.findings = std::move(findings);
  result.group = GroupNote{"memory", 1.25, ""};
  return result;
}

RunResult made() {
  Finding capacity = measured("l1.capacity", 16384, "B");
  capacity.paper = PaperReading{Quantity{16384, Unit::byte}, {}, "ME6"};
  capacity.note = "the largest footprint without a miss";
  std::vector<Finding> findings = {capacity};
  for (int n = 1; n <= 9; ++n)
    findings.push_back(measured("l1.hits[n=" + std::to_string(n) + "]", n, ""));
  findings.push_back(measured("outcome[n=1]", 1, ""));
  RunResult all;
  all.experiments = {group("global", std::move(findings)), group("texture", {}), group("tlb", {})};
  all.experiments[1].failure = make_error(Fault::device, "no texture unit");
  all.experiments[2].interrupted = true;
  all.experiments[2].group->reason = "budget";
  all.interrupted = true;
  all.experiments[1].group->ended = 2.4;  // Beside the others: they take 3.75 s, one by one.
  return all;
}

constexpr const char* kTable =
    "finding        value               interval  verdict   paper\n"
    "global\n"
    "  l1.capacity  16 KB                         modelled  16KB (ME6)\n"
    "    the largest footprint without a miss\n"
    "  l1.hits[…]   9 values in --json\n"
    "texture        failed\n"
    "    no texture unit\n"
    "tlb            not run: budget\n"
    "\n";

}  // namespace

TEST_CASE("a characterization is one table, with what failed and what did not run") {
  CHECK(to_terminal(made(), {{false, true, 100}}) ==
        std::string(" virtual GPU mine: a model, not a measurement  0 SMs\n\n") + kTable +
            "mine: 1 of 3 groups, 2.4 s · 11 modelled, 0 not observed, 0 inconclusive\n");
}

TEST_CASE("of a real device it says measured") {
  RunResult real = made();
  for (ExperimentResult& group : real.experiments) group.device.measured = true;
  const std::string text = to_terminal(real, {{false, true, 100}});
  CHECK(text.find("modelled") == std::string::npos);
  CHECK(text.find("11 measured") != std::string::npos);
}

TEST_CASE("a characterization's document is a run's, and says the same when it is read back") {
  const std::string json = to_json(made());
  for (const char* part : {"\"family\": \"memory\"", "\"reason\": \"budget\"",
                           "\"no texture unit\"", "\"name\": \"l1.hits[n=9]\""})
    CHECK_MESSAGE(json.find(part) != std::string::npos, part);
  const auto read = from_json(json, "a.json");
  REQUIRE(read.has_value());
  CHECK(to_json(read->result) == json);
  CHECK(to_terminal(read->result, {{false, true, 100}}) ==
        to_terminal(made(), {{false, true, 100}}));
}

TEST_CASE("the document of an earlier version is read as a characterization") {
  const auto read = from_json(
      R"({"schema": 1, "gpx": "0.1.0", "interrupted": false, "device": {"name": "old",
         "kind": "cuda", "compute_capability": "9.0"}, "seconds": 3, "groups": [
         {"name": "global", "family": "memory", "title": null, "state": "not_run",
          "reason": "budget", "seconds": 0, "experiments": []},
         {"name": "tlb", "family": "memory", "title": "T", "state": "failed",
          "reason": "no", "seconds": 0.5, "experiments": []}]})",
      "old.json");
  if (!read) FAIL(read.error().diagnostics.front().message);
  REQUIRE(is_characterization(read->result));
  CHECK(read->result.experiments[0].interrupted);
  CHECK(read->result.experiments[0].group->reason == "budget");
  CHECK(read->result.experiments[1].failure.has_value());
  CHECK(read->result.experiments[1].device.name == "old");
}
