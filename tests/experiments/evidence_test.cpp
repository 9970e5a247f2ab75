// What findings rest on: probes by their numbers in the log, with what they show.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

ExperimentResult analyzed(const std::string& device, const std::string& analysis) {
  Session session(source_paths());
  RunOptions options;
  options.device = device;
  RunResult result =
      run(session,
          Source("evidence.gpx", "experiment e { < load unique(128B) > analyze " + analysis + " }"),
          options);
  REQUIRE(result.experiments.size() == 1);
  if (result.experiments[0].failure) FAIL(render(*result.experiments[0].failure));
  return std::move(result.experiments[0]);
}

const ProbeEvidence* drawn(const Finding& finding) {
  const auto found = std::ranges::find_if(
      finding.probes, [](const ProbeEvidence& one) { return !one.points.empty(); });
  return found == finding.probes.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("each finding of a cache names probes that lie in the log") {
  const ExperimentResult result = analyzed("fig4", "cache(arithmetic = 0)");
  REQUIRE(result.findings.size() > 5);
  for (const Finding& finding : result.findings) {
    CAPTURE(finding.name);
    CHECK_FALSE(finding.probes.empty());
    for (const ProbeEvidence& one : finding.probes) {
      CHECK(one.first >= 1);
      CHECK(one.first <= one.last);
      CHECK(one.last <= result.probes.records.size());
    }
  }
  const ProbeEvidence* curve = drawn(get(result, "l1.latency"));
  REQUIRE(curve);
  CHECK(curve->points.front().first == 32);
  CHECK(curve->points.front().second < curve->points.back().second);
}

TEST_CASE("ways rest on tests with all lines of an eviction set and without each one") {
  const fs::path script = fs::temp_directory_path() / fmt::format("gpx-evidence-{}.lua", getpid());
  std::ofstream(script) << R"lua(
    local ledger = use "parts/steps"
    return function(input)
      local found = (use "parts/cache_sets").recover("cg", input.device)
      for _, what in ipairs { "ways", "sets" } do
        finding { name = "l2." .. what, value = found[what], probes = ledger.probes(found.steps, what) }
      end
    end)lua";
  const ExperimentResult result = analyzed("gtx560ti", '"' + script.string() + "\"()");
  fs::remove(script);
  const Finding& ways = get(result, "l2.ways");
  REQUIRE(ways.verdict == Verdict::measured);
  const ProbeEvidence* shares = drawn(ways);
  REQUIRE(shares);
  REQUIRE(static_cast<double>(shares->points.size()) == number(ways) + 1);
  for (const auto& [line, share] : shares->points) {
    const bool evicts = share >= 0.98, stays = share <= 0.1;
    CHECK((line == 0 ? evicts : stays));
  }
  // With all lines one probe, then one without each line, in the order of the log.
  CHECK(shares->last - shares->first >= shares->points.size() - 1);
  const ProbeEvidence* lines = drawn(get(result, "l2.sets"));
  REQUIRE(lines);
  for (const auto& [region, of_set] : lines->points) CHECK(region > of_set);
}

TEST_CASE("a finding without any evidence rests on all that its analysis asked before") {
  const ExperimentResult result = analyzed("fig4", "page_window()");
  for (const Finding& finding : result.findings) {
    REQUIRE(finding.probes.size() == 1);
    CHECK(finding.probes[0].what == "all earlier probes of the analysis");
    CHECK(finding.probes[0].first == 1);
    CHECK(finding.probes[0].last <= result.probes.records.size());
  }
}

}  // namespace gpx::test
