// `observe issue` on GPUs whose issue intervals are known: a changed interval is found in the
// column.
#include <fmt/format.h>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

/// The K20 with other clocks between two instructions of its ALUs, and after a read of the clock.
PlantedDevice planted(int interval, int read) {
  return PlantedDevice(
      "k20", {{"interval = \"0.2 clocks\"", fmt::format("interval = \"{} clocks\"", interval)},
              {"cost = { \"16 clocks\"", fmt::format("cost = {{ \"{} clocks\"", read)}});
}

Samples samples_of(const std::string& text, const std::string& device) {
  Session session(source_paths());
  RunOptions options;
  options.device = device;
  RunResult result = run(session, Source("issue.gpx", text), options);
  REQUIRE(result.experiments.size() == 1);
  CHECK(result.experiments[0].proof == "verified");
  return std::move(result.experiments[0].samples);
}

const std::vector<double>& numbers(const Samples& samples, const char* name) {
  const Column* column = samples.find(name);
  REQUIRE_MESSAGE(column, name);
  return column->numbers;
}

TEST_CASE("a unit's interval and the cost of a clock read are found in the column") {
  struct Row {
    int interval, read;
  };
  for (const Row& row : {Row{3, 16}, Row{5, 16}, Row{3, 40}}) {
    CAPTURE(row.interval);
    CAPTURE(row.read);
    const PlantedDevice device = planted(row.interval, row.read);
    const Samples samples =
        samples_of("threads 32 observe issue < add.u32 x16 streams 16; add.u32 x48 streams 16 >\n",
                   device.path());
    CHECK(numbers(samples, "statement") == std::vector<double>{0, 1});
    CHECK(samples.find("clocks")->unit == Unit::clock);
    const std::vector<double>& clocks = numbers(samples, "clocks");
    CHECK(clocks[1] - clocks[0] == 32 * row.interval);
    CHECK(clocks[0] >= row.read + 15 * row.interval);
    CHECK(clocks[0] <= row.read + 17 * row.interval);
  }
}

TEST_CASE("a load is not waited for, a barrier is a statement") {
  const Samples samples = samples_of("observe issue < load unique(128B); sync; add.u32 >\n", "k20");
  const std::vector<double>& clocks = numbers(samples, "clocks");
  REQUIRE(clocks.size() == 3);
  for (double each : clocks) CHECK(each >= 16);
  CHECK(clocks[0] < 100);  // From memory it takes more than 230.
}

TEST_CASE("each warp of each block has its own rows") {
  const Samples samples =
      samples_of("threads 80 blocks 2 observe issue < add.u32; sync >\n", "k20");
  CHECK(numbers(samples, "block") == std::vector<double>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  CHECK(numbers(samples, "warp") == std::vector<double>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  CHECK(numbers(samples, "statement") == std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  for (double clocks : numbers(samples, "clocks")) CHECK(clocks >= 16);
}

}  // namespace
}  // namespace gpx::test
