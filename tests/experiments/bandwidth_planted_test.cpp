// The bandwidths of hopper_bandwidth.gpx, and those of gpx characterize, against planted truth: the
// DRAM of a device is changed, and what the experiments find follows.
#include <fmt/format.h>

#include "runtime/characterize.h"
#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

ExperimentResult gpu_on(const std::string& device, const Changes& changes) {
  const PlantedDevice planted(device, changes);
  RunOptions options = planted.options({{"l2_blocks", "4"}, {"dram_blocks", "384"}});
  options.all_blocks = true;
  Session session(source_paths());
  const std::string text(experiment_source("hopper_bandwidth").text());
  const std::size_t from = text.find("experiment hopper_bandwidth_gpu");
  const std::size_t to = text.find("experiment hopper_bandwidth_blocks");
  REQUIRE(to != std::string::npos);
  const std::string params = text.substr(0, text.find("experiment "));
  RunResult result =
      run(session, Source("gpu.gpx", params + text.substr(from, to - from)), options);
  return std::move(result.experiments.at(0));
}

/// The family `bandwidth` of a characterization.
RunResult characterized(const std::string& device) {
  Session session(source_paths());
  auto result = characterize_task(session, device, {"bandwidth"}).and_then([&](const auto& task) {
    return characterize(session, task, CharacterizeOptions{});
  });
  if (!result) FAIL(render(result.error()));
  for (const ExperimentResult& group : result->experiments)
    CHECK_MESSAGE(group.whole(), group.experiment.name);
  return std::move(*result);
}

const Finding& of_all(const RunResult& result, const std::string& name) {
  for (const ExperimentResult& group : result.experiments)
    if (const Finding* finding = find(group, name)) return *finding;
  FAIL("no finding " << name);
  return result.experiments.front().findings.front();
}

}  // namespace

TEST_CASE("characterize: bandwidth of each level, and of DRAM as it is planted") {
  const PlantedDevice device("gtx560ti",
                             {{"departure = { \"1.64 clocks\"", "departure = { \"3.28 clocks\""}});
  const RunResult result = characterized(device.path());
  const double planted = 128 / 3.28 * 1.645e9;
  for (const char* name : {"bandwidth.dram_read", "bandwidth.dram_write", "bandwidth.dram_copy"}) {
    CAPTURE(name);
    const Finding& found = of_all(result, name);
    CHECK(number(found) == doctest::Approx(planted).epsilon(0.06));
    CHECK(found.low.value() <= planted);
    CHECK(found.high.value() >= planted);
  }
  CHECK(number(of_all(result, "bandwidth.l2")) > 2 * planted);
  CHECK(of_all(result, "bandwidth.l1").verdict == Verdict::measured);
  CHECK(of_all(result, "rate.launch.start").verdict == Verdict::measured);
}

// A GTX 780 keeps no global loads in L1, and an 8800 GT has no caches of them.
TEST_CASE("characterize: a level that does not show has no bandwidth") {
  CHECK(of_all(characterized("gtx780"), "bandwidth.l1").verdict == Verdict::inconclusive);
  const RunResult without = characterized("8800gt");
  for (const char* name : {"bandwidth.l1", "bandwidth.l2"})
    CHECK(of_all(without, name).verdict == Verdict::inconclusive);
}

TEST_CASE("a planted bandwidth of DRAM comes back from reads, writes and copies") {
  for (const double clocks : {1.64, 3.28}) {  // From one line of 128 B to the next, at 1.645 GHz.
    CAPTURE(clocks);
    const double planted = 128 / clocks * 1.645e9;
    const ExperimentResult result = gpu_on(
        "gtx560ti",
        {{"departure = { \"1.64 clocks\"", fmt::format("departure = {{ \"{} clocks\"", clocks)}});
    for (const char* name :
         {"bandwidth.dram_read", "bandwidth.dram_write", "bandwidth.dram_copy"}) {
      CAPTURE(name);
      CHECK(number(get(result, name)) == doctest::Approx(planted).epsilon(0.06));
    }
  }
}

}  // namespace gpx::test
