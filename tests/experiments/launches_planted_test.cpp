// What one launch takes by what came before it, and what a block leaves to the next: planted in a
// copy of the H100's description, seen in times and latencies of single points.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

/// What `observed` is at the only point of a text, on an H100 with those changes.
double observed(const Changes& changes, const std::string& body, const char* column) {
  const RunResult result = PlantedDevice("hopper", changes).run(Source("test.gpx", body));
  return result.experiments.at(0).samples.find(column)->numbers.at(0);
}

}  // namespace

TEST_CASE("a launch behind a flush takes planted clocks more, and no other does") {
  const Changes planted = {{"  launch = {", "  launch = { cold = \"1980 clocks\","}};
  for (const bool flushed : {false, true}) {
    CAPTURE(flushed);
    const std::string body =
        fmt::format("threads 64 {} observe time < sync >", flushed ? "flush" : "");
    const double more = observed(planted, body, "time") - observed({}, body, "time");
    CHECK(more == doctest::Approx(flushed ? 1e-6 : 0).epsilon(0.2));
  }
}

TEST_CASE("blocks behind other blocks wait as long as is planted") {
  const Changes planted = {
      {"  block_scheduler = {", "  block_scheduler = { refill = \"400 clocks\","}};
  const auto more = [&](unsigned blocks) {
    const std::string text =
        fmt::format("threads 1024 blocks {} observe time < store unique(4B) >", blocks);
    return observed(planted, text, "time") - observed({}, text, "time");
  };
  CHECK(more(264) == 0);  // nobody waits for a place
  // Three times a block behind another.
  CHECK(more(264 * 4) == doctest::Approx(3 * 400 / 1.98e9).epsilon(0.1));
}

TEST_CASE("the first box of a tensor in a launch waits for its map") {
  GPX_NEEDS_NVRTC();
  const Changes planted = {
      {"    tensor_latency = {", "    map = \"300 clocks\", tensor_latency = {"}};
  const auto more = [&](const char* body) {
    const std::string text = fmt::format("threads 64 < {} >", body);
    return observed(planted, text, "latency") - observed({}, text, "latency");
  };
  CHECK(more("async load tensor(32, 32); wait") == 300);
  CHECK(more("async load tensor(32, 32); wait; async load tensor(32, 32); wait") == 300);
  const char* bytes = "threads 64 < async load bulk(4KB); wait >";
  CHECK(observed(planted, bytes, "latency") == observed({}, bytes, "latency"));
}

TEST_CASE("loads of another block's shared memory send the sectors that they touch") {
  GPX_NEEDS_NVRTC();
  const auto latency = [](const char* stride) {
    return observed({},
                    fmt::format("cluster 2 blocks 2 threads 256 "
                                "< load shared stride({}) on rank (rank + 1) x6 >",
                                stride),
                    "latency");
  };
  const double words = latency("4B"), sectors = latency("32B");
  CHECK(sectors > 3 * words);
  CHECK(latency("36B") == doctest::Approx(sectors).epsilon(0.05));  // whether banks conflict or not
  CHECK(latency("16B") < 0.7 * sectors);                            // two lanes share one
}

}  // namespace gpx::test
