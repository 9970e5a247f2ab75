// Distributed shared memory and the barrier of a cluster against planted truth: the network between
// the SMs of an H100's GPC is changed, and hopper_dsmem.gpx and hopper_cluster.gpx find it again.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

/// An H100 with another section `cluster`.
std::string with_cluster(const std::string& section) {
  const std::string text = own_description("hopper");
  const std::size_t begin = text.find("  cluster = {"), end = text.find("\n  },\n", begin);
  REQUIRE(end != std::string::npos);
  return text.substr(0, begin) + section + text.substr(end + 6);
}

const char* kSection =
    "  cluster = { assumed = \"planted\", most = 16, latency = \"240 clocks\", positions = { 0, 0, "
    "11 "
    "},\n    own = \"51 clocks\", bandwidth = 13, store_bandwidth = 13,\n    barrier = \"120 "
    "clocks\", "
    "barrier_steps = { 0, 7, 9, 20 }, release = \"300 clocks\", release_steps = { 0, 40 } },\n";

}  // namespace

TEST_CASE("a planted latency of remote shared memory comes back by cluster size and rank") {
  GPX_NEEDS_NVRTC();
  const RunResult result = PlantedDevice(with_cluster(kSection)).run("hopper_dsmem");
  const ExperimentResult& latency = result.experiments.at(0);
  for (const int size : {2, 4, 8, 16})
    for (int rank = 0; rank < size; ++rank) {
      CAPTURE(size);
      CAPTURE(rank);
      const Finding& found =
          get(latency, fmt::format("dsmem.latency[cluster={},rank={}]", size, rank));
      CHECK(bounds(found, rank == 0   ? 51
                          : rank == 1 ? 240
                                      : 251));  // The first two SMs are as near.
    }
  // Words that begin within a sector read one more than their bytes make; of those that are stored
  // up to two pieces of 16 bytes are not full, and take twice as long.
  const std::pair<const char*, double> least[] = {{"read", 128.0 / 160},
                                                  {"read_16B", 512.0 / 544},
                                                  {"write", 128.0 / 176},
                                                  {"write_16B", 512.0 / 560}};
  for (const auto& [op, share] : least) {
    CAPTURE(op);
    const double found =
        number(get(result.experiments.at(1), fmt::format("dsmem.bandwidth[cluster=4,op={}]", op)));
    CHECK(found >= 13 * share * 0.99);
    CHECK(found <= 13 * 1.01);
  }
}

TEST_CASE("a planted barrier of the cluster comes back by its size, with fences and without") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result =
      PlantedDevice(with_cluster(kSection)).run("hopper_cluster").experiments.at(0);
  for (const int size : {1, 2, 4, 8, 16}) {
    CAPTURE(size);
    const double relaxed = 120 + (size == 1 ? 0 : size == 2 ? 7 : size == 4 ? 9 : 20);
    CHECK(bounds(get(result, fmt::format("cluster.barrier[cluster={},kind=relaxed]", size)),
                 relaxed));
    CHECK(bounds(get(result, fmt::format("cluster.barrier[cluster={}]", size)),
                 relaxed + (size == 1 ? 300 : 340)));
  }
}

TEST_CASE(
    "shared memory by its address in the cluster has banks; atomics that nobody waits for too") {
  GPX_NEEDS_NVRTC();
  Session session(source_paths());
  RunOptions options;
  options.device = device_file("hopper");
  const RunResult result =
      run(session,
          Source("test.gpx",
                 "experiment own_rank { cluster 1 blocks 1 threads 512 sweep n in [8, 16]\n"
                 "  < load shared unique(16B) width 16B on rank rank x n >\n"
                 "  derive rate = bytes / latency\n"
                 "  expect max(rate) within 100B/clk..128B/clk }\n"
                 "experiment posted { threads 256 sweep n in [512, 1024] observe time\n"
                 "  < red.add.u32 shared same x n >\n"
                 "  derive apart = time / n / threads\n"
                 "  expect min(apart) within 0.5ns..0.53ns }"),  // a clock of 1.98 GHz
          options);
  for (const ExperimentResult& each : result.experiments) {
    CAPTURE(each.experiment.name);
    CHECK(each.expectations.at(0).pass);
  }
}

TEST_CASE("machine code: a release passes while stores to another block are under way") {
  GPX_NEEDS_NVRTC();
  const auto clocks = [](const std::string& behind) {
    const PlantedDevice device("h200",
                               {{"release = { \"253 clocks\"", "release = { \"300 clocks\""},
                                {"release_behind = { \"125", "release_behind = { \"" + behind}});
    return device
        .run(Source("test.gpx",
                    "experiment e { cluster 2 blocks 2 threads 32\n"
                    "  < store shared stride(4B) on rank (rank + 1); sync cluster > }"))
        .experiments.at(0)
        .samples.find("latency")
        ->numbers.front();
  };
  // The store takes some 200 clocks: behind 300 of the release nothing of it passes meanwhile.
  CHECK(clocks("300") - clocks("200") == 100);
  CHECK(clocks("20") == clocks("0"));
}

TEST_CASE("machine code: lanes on a word of another block are added one by one") {
  GPX_NEEDS_NVRTC();
  const RunResult result =
      PlantedDevice("h200", {})
          .run(Source("test.gpx",
                      "experiment e { cluster 2 blocks 2 threads 32 sweep n in [4, 12]\n"
                      "  < atom.add.u32 shared merge(32, 4B) on rank 0 x n > }"));
  const auto& found = result.experiments.at(0).samples.find("latency")->numbers;
  CHECK((found.back() - found.front()) / 16 == doctest::Approx(31).epsilon(0.05));  // both blocks
}

TEST_CASE("a device refuses clusters that it does not have") {
  GPX_NEEDS_NVRTC();
  const char* text = "experiment e { blocks 16 cluster 16 threads 32 < sync cluster > }";
  CHECK(PlantedDevice(with_cluster(""))
            .complaint(text)
            .find("this device has no clusters of blocks") != std::string::npos);
  const std::string fewer =
      "  cluster = { assumed = \"planted\", most = 8, latency = \"200 clocks\","
      " own = \"33 clocks\", barrier = \"90 clocks\" },\n";
  CHECK(PlantedDevice(with_cluster(fewer)).complaint(text).find("has 8 blocks at most, not 16") !=
        std::string::npos);
}

TEST_CASE("a block that never comes to the cluster's barrier is a deadlock") {
  GPX_NEEDS_NVRTC();
  Session session(source_paths());
  RunOptions options;
  options.device = "h100";
  const RunResult result = run(session,
                               Source("test.gpx",
                                      "experiment e { blocks 2 cluster 2 threads 32 watchdog 1ms\n"
                                      "  shared never = 0\n  < when rank == 1 { while never == 0 { "
                                      "} }; sync cluster >\n  expect outcome == deadlock }"),
                               options);
  CHECK(text(get(result.experiments.at(0), "outcome")) == "deadlock");
}

}  // namespace gpx::test
