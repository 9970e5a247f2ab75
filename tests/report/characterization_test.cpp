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

GroupResult group(const std::string& name, GroupResult::State state, std::string reason,
                  std::vector<Finding> findings) {
  GroupResult result{
      {"memory", name, "", Source("memory.gpx", ""), {}}, state, std::move(reason), 1.25, {}, {}};
  if (!findings.empty()) {
    result.run.experiments.emplace_back();
    result.run.experiments.back().findings = std::move(findings);
  }
  return result;
}

Characterization made() {
  Characterization all;
  all.device.name = "mine";
  Finding capacity = measured("l1.capacity", 16384, "B");
  capacity.paper = PaperReading{Quantity{16384, Unit::byte}, {}, "ME6"};
  capacity.note = "the largest footprint without a miss";
  std::vector<Finding> findings = {capacity};
  for (int n = 1; n <= 9; ++n)
    findings.push_back(measured("l1.hits[n=" + std::to_string(n) + "]", n, ""));
  findings.push_back(measured("outcome[n=1]", 1, ""));
  all.groups.push_back(group("global", GroupResult::State::done, "", std::move(findings)));
  all.groups.push_back(group("texture", GroupResult::State::failed, "no texture unit", {}));
  all.groups.push_back(group("tlb", GroupResult::State::not_run, "budget", {}));
  all.seconds = 2.5;
  return all;
}

}  // namespace

TEST_CASE("a characterization is one table, with what failed and what did not run") {
  CHECK(to_terminal(made(), {false, true, 100}) ==
        " virtual GPU mine: a model, not a measurement  0 SMs\n"
        "\n"
        "finding        value               interval  verdict   paper\n"
        "global\n"
        "  l1.capacity  16 KB                         measured  16KB (ME6)\n"
        "    the largest footprint without a miss\n"
        "  l1.hits[…]   9 values in --json\n"
        "texture        failed\n"
        "    no texture unit\n"
        "tlb            not run: budget\n"
        "\n"
        "mine: 1 of 3 groups in 2.5 s · 11 measured, 0 not observed, 0 inconclusive\n");
}

TEST_CASE("a characterization's document has all groups, also those without results") {
  const std::string json = to_json(made());
  for (const char* part :
       {"\"state\": \"done\"", "\"state\": \"failed\"", "\"state\": \"not_run\"",
        "\"reason\": \"budget\"", "\"reason\": \"no texture unit\"", "\"name\": \"l1.hits[n=9]\""})
    CHECK_MESSAGE(json.find(part) != std::string::npos, part);
}
