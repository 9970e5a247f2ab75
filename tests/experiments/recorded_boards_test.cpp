// Logs of probes of whole characterizations (tests/data/probes): the analyses of today find in them
// what was recorded, without a device.
#include <algorithm>

#include "codegen/files/files.h"
#include "codegen/files/packed.h"
#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

bool tells_a_change(const std::string& warning) {
  return warning.starts_with("recorded: ") || warning.starts_with("now: ");
}

}  // namespace

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
