// Kernels from files in whole experiments: the counts of hong2009's Figure 13 and the occupancy of
// its Table 2, under the catalogue's names.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

TEST_CASE("Figure 13's counts and Table 2's occupancy (HK6, HK7)") {
  Session session(source_paths());
  RunOptions options;
  options.device = "fx5600";
  const RunResult all = run(session, experiment_source("hk_counts"), options);
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

TEST_CASE("a whole number in the key of a finding is written in full") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string kernel = fmt::format("gpx-key-{}.cu", getpid());
  std::ofstream(folder / kernel)
      << "extern \"C\" __global__ void k(int* out, int n) { out[n] = 1; }\n";
  const std::string text =
      "experiment key {\n  device k20\n  sweep entries in [1024, 1048576]\n"
      "  kernel k from \"" +
      kernel +
      "\" entry k(out = buffer(4B * entries), n = entries - 1)\n"
      "  < run k >\n  analyze kernel_counts()\n"
      "  expect ptx.count.coal[entries=1048576] == 1\n}\n";
  Session session(source_paths());
  const RunResult all = run(session, Source((folder / "key.gpx").string(), text), {});
  std::filesystem::remove(folder / kernel);
  const ExperimentResult& result = all.experiments.at(0);
  CHECK(std::get<double>(get(result, "ptx.count.coal[entries=1048576]").value) == 1);
  REQUIRE(result.expectations.size() == 1);
  CHECK(result.expectations[0].pass);
}

}  // namespace
}  // namespace gpx::test
