// Kernels from files in whole experiments: the counts of hong2009's Figure 13 and the occupancy of
// its Table 2, under the catalogue's names.
#include <algorithm>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

TEST_CASE("Figure 13's counts and Table 2's occupancy (HK6, HK7)") {
  Session session(source_paths());
  RunOptions options;
  options.device = "fx5600";
  const RunResult all =
      run(session, read_source(GPX_SOURCE_DIR "/experiments/hk_counts.gpx"), options);
  REQUIRE(all.experiments.size() == 1);
  const ExperimentResult& result = all.experiments.front();
  REQUIRE(!result.failure);
  CHECK(result.expectations.size() == 7);
  for (const ExpectationResult& expectation : result.expectations) {
    CHECK(expectation.applies);
    CHECK_MESSAGE(expectation.pass, expectation.text << ": " << expectation.reason);
  }
  for (const char* name : {"ptx.count.comp", "ptx.count.static.comp", "ptx.count.uncoal",
                           "occupancy.limiter", "occupancy.fraction"})
    CHECK_MESSAGE(std::ranges::find(result.findings, name, &Finding::name) != result.findings.end(),
                  name);
}

}  // namespace
}  // namespace gpx::test
