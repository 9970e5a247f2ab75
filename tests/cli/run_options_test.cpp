#include "runtime/cli/run_options.h"

#include <doctest/doctest.h>

using namespace gpx;
using namespace gpx::cli;

TEST_CASE("settings, device, seed and stages arrive at the pipeline") {
  ExperimentOptions options;
  options.device = "k20";
  options.seed = 9;
  options.settings = {"n=1..3", "size=64KB"};
  const Result<RunOptions> run = run_options(options, {{"ast", "ptx"}, {}});
  REQUIRE(run);
  CHECK(run->device == "k20");
  CHECK(run->seed == 9);
  REQUIRE(run->settings.size() == 2);
  CHECK(run->settings[0].name == "n");
  CHECK(run->settings[0].text == "1..3");
  CHECK(run->dump == std::set<std::string>{"ast", "ptx"});
}

TEST_CASE("all that is wrong is reported at once, with the nearest stage") {
  ExperimentOptions options;
  options.settings = {"n"};
  const Result<RunOptions> run = run_options(options, {{"ptxx", "ast"}, "kernels"});
  REQUIRE_FALSE(run);
  REQUIRE(run.error().diagnostics.size() == 3);
  CHECK(run.error().diagnostics[1].message == "unknown stage 'ptxx' in --dump");
  CHECK(run.error().diagnostics[1].hint == "did you mean 'ptx'?");
  CHECK(run.error().diagnostics[2].message == "unknown stage 'kernels' in --from");
}
