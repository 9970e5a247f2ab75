// The bandwidths of hopper_bandwidth.gpx against planted truth: the DRAM of a device is changed,
// and what the experiment finds follows.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

ExperimentResult gpu_on(const std::string& device, const Changes& changes) {
  const fs::path path = fs::temp_directory_path() / fmt::format("gpx-bandwidth-{}.lua", getpid());
  std::ofstream(path) << changed_description(device, changes);
  RunOptions options;
  options.device = path.string();
  options.all_blocks = true;
  options.settings = {{"l2_blocks", "4"}, {"dram_blocks", "384"}};
  Session session(source_paths());
  const std::string text(read_source(GPX_SOURCE_DIR "/experiments/hopper_bandwidth.gpx").text());
  const std::size_t from = text.find("experiment hopper_bandwidth_gpu");
  const std::size_t to = text.find("experiment hopper_bandwidth_blocks");
  REQUIRE(to != std::string::npos);
  const std::string params = text.substr(0, text.find("experiment "));
  RunResult result =
      run(session, Source("gpu.gpx", params + text.substr(from, to - from)), options);
  fs::remove(path);
  return std::move(result.experiments.at(0));
}

}  // namespace

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
