// Logs of probes of whole characterizations (tests/data/probes): the analyses of today find in them
// what was recorded, without a device.
#include <algorithm>

#include "codegen/files/files.h"
#include "codegen/files/packed.h"
#include "runtime/characterize.h"
#include "runtime/judge.h"
#include "tests/experiments/support.h"
#include "tests/thorough.h"

namespace gpx::test {
namespace {

bool tells_a_change(const std::string& warning) {
  return warning.starts_with("recorded: ") || warning.starts_with("now: ");
}

}  // namespace

// Every group and every small device where the suite is thorough.
TEST_CASE("what is recorded of a characterization replays to the same findings" *
          doctest::test_suite(kSamples)) {
  const char* devices[] = {"fig4", "gtx280", "gtx560ti", "gtx780", "mwp2", "mwp8", "k20"};
  std::vector<std::string> groups = {"divergence", "barrier", "clock", "constant", "scoreboard"};
  if (thorough()) groups.clear();
  for (const char* device : sampled(devices, 3)) {
    CAPTURE(device);
    Session session(source_paths());
    const auto recorded =
        characterize_task(session, device, groups).and_then([&](const auto& task) {
          return characterize(session, task, CharacterizeOptions{});
        });
    REQUIRE(recorded);
    for (const ExperimentResult& one : recorded->experiments) {
      if (!one.whole()) continue;
      CAPTURE(one.experiment.name);
      RunOptions options;
      options.from = "probes";
      const RunResult again = run(session, Source("log", recorded_text(one)), options);
      REQUIRE(again.experiments.size() == 1);
      CHECK(again.experiments[0].probes.findings == one.probes.findings);
      CHECK_FALSE(one.probes.findings.empty());
    }
  }
}

TEST_CASE("recorded boards: the analyses find what they found") {
  const auto logs = files_in(GPX_TESTS_DIR "/data/probes", ".probes.zst");
  REQUIRE(logs.size() >= 2);
  for (const std::string& log : logs) {
    CAPTURE(log);
    const auto text = unpacked_text(read_file_at(log).value(), 1ull << 30);
    REQUIRE(text);
    Session session(source_paths());
    RunOptions options;
    options.from = "probes";
    const RunResult result = run(session, Source(log, *text), options);
    std::size_t findings = 0;
    for (const ExperimentResult& one : result.experiments) {
      if (one.failure) FAIL_CHECK(render(*one.failure));
      for (const std::string& warning : one.warnings)
        CHECK_MESSAGE(!tells_a_change(warning), one.experiment.name, ": ", warning);
      findings += one.findings.size();
    }
    CHECK(findings > 5);
  }
}

}  // namespace gpx::test
