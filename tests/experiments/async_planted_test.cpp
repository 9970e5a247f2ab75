// Asynchronous copies and mbarriers against planted truth: the rows of a hopper are changed, and
// hopper_async.gpx, hopper_tma.gpx and hopper_mbarrier.gpx find them again.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

/// An H100 with other sections of copies, or without them. `dram`: its section instead.
std::string with_copies(const std::string& sections, const std::string& dram = "") {
  std::string text = own_description("hopper");
  if (!dram.empty()) {
    const std::size_t at = text.find("  dram = {"), rest = text.find("\n  },\n", at);
    REQUIRE(rest != std::string::npos);
    text.replace(at, rest + 6 - at, dram);
  }
  // Slices of L2 at one distance: a copy's latency is what is planted.
  const std::string distances = "    distances = of_slice,\n";
  REQUIRE(text.find(distances) != std::string::npos);
  text.erase(text.find(distances), distances.size());
  const std::size_t begin = text.find("  async_copy = {"), last = text.find("  mbarrier = {");
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find("\n  },\n", last);
  REQUIRE(end != std::string::npos);
  return text.substr(0, begin) + sections + text.substr(end + 6);
}

/// Clocks of a region, for each of its points.
std::vector<double> clocks_of(const PlantedDevice& device, const std::string& text) {
  const RunResult result = device.run(Source("test.gpx", text));
  return result.experiments.at(0).samples.find("latency")->numbers;
}

const std::vector<Setting> kOnePlace = {{"places", "1"}, {"sm", "0..1"}};

const char* kSections =
    "  async_copy = { assumed = \"planted\", extra = \"57 clocks\" },\n"
    "  bulk_copy = { assumed = \"planted\", latency = \"440 clocks\", bandwidth = 64,\n"
    "    store_latency = \"90 clocks\", store_bandwidth = 16, interval = \"3 clocks\",\n"
    "    tensor_latency = \"410 clocks\", row = \"2 clocks\" },\n"
    "  mbarrier = { assumed = \"planted\", arrive = \"19 clocks\", test = \"47 clocks\" },\n";

double clocks(const ExperimentResult& result, const std::string& name) {
  return number(get(result, name));
}

}  // namespace

TEST_CASE("machine code: a copy past L1 leaves nothing in it; words of copies keep the pipeline") {
  GPX_NEEDS_NVRTC();
  const auto twice = [](const std::string& op) {
    const std::string copy = "async load stride(16B) width 16B cache " + op + "; wait; ";
    return clocks_of(PlantedDevice("h200", {}),
                     "experiment e { threads 32 < " + copy + copy + " > }")
        .front();
  };
  CHECK(twice("cg") - twice("ca") > 200);  // from L2 and from L1

  const auto words = [](const std::string& narrow) {
    return clocks_of(
               PlantedDevice("h200", {{"narrow = { \"2 clocks\", source = \"fitted: 2 clocks (1.5",
                                       "narrow = { \"" + narrow +
                                           " clocks\", source = \"fitted: 2 clocks (1.5"}}),
               "experiment e { threads 512 < async load unique(8B) width 8B x8; wait > }")
        .front();
  };
  CHECK(words("6") - words("4") == doctest::Approx(127 * 4));  // two words of each lane
}

TEST_CASE("planted bulk copies come back: latency, and clocks by their bytes") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result =
      PlantedDevice(with_copies(kSections)).run("hopper_tma", kOnePlace).experiments.at(0);
  const double least = clocks(result, "tma.latency[bytes=16]");
  CHECK(least > 440);
  CHECK(least < 470);  // What announces a copy and waits for it stands beside it.
  CHECK(clocks(result, "tma.latency[bytes=32768]") - clocks(result, "tma.latency[bytes=1024]") ==
        doctest::Approx((32768 - 1024) / 64.0).epsilon(0.01));
  CHECK(clocks(result, "tma.latency[bytes=32768,op=write]") -
            clocks(result, "tma.latency[bytes=1024,op=write]") ==
        doctest::Approx((32768 - 1024) / 16.0).epsilon(0.01));
}

TEST_CASE("a planted bandwidth of bulk copies comes back") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result =
      PlantedDevice(with_copies(kSections)).run("hopper_tma", kOnePlace).experiments.at(2);
  CHECK(bounds(get(result, "tma.bandwidth[bytes=4096]"), 64));
  CHECK(bounds(get(result, "tma.bandwidth[bytes=4096,op=write]"), 16));
}

TEST_CASE("a planted box of a tensor comes back: by its bytes, or by its rows") {
  GPX_NEEDS_NVRTC();
  const RunResult all = PlantedDevice(with_copies(kSections)).run("hopper_tma", kOnePlace);
  const ExperimentResult& result = all.experiments.at(3);
  for (const char* box : {"two", "three", "four", "five"}) {
    const auto latency = [&](int bytes) {
      return clocks(result, fmt::format("tma.latency[bytes={},box={}]", bytes, box));
    };
    CHECK(latency(2048) > 410 + 2048 / 64);
    CHECK(latency(2048) < 410 + 2048 / 64 + 30);
    CHECK(latency(32768) - latency(2048) == doctest::Approx((32768 - 2048) / 64.0).epsilon(0.01));
  }
  const auto narrow = [&](int bytes) {
    return clocks(result, fmt::format("tma.latency[bytes={},box=narrow]", bytes));
  };
  CHECK(narrow(32768) - narrow(2048) == doctest::Approx((32768 - 2048) / 16 * 2).epsilon(0.01));
  CHECK(bounds(get(all.experiments.at(4), "tma.bandwidth[bytes=4096,box=five]"), 64));
  CHECK(bounds(get(all.experiments.at(4), "tma.bandwidth[bytes=4096,box=narrow]"), 8));
  CHECK(bounds(get(all.experiments.at(4), "tma.bandwidth[bytes=4096,box=write]"), 16));
}

TEST_CASE("what DRAM takes, a cold bulk copy takes") {
  GPX_NEEDS_NVRTC();
  const auto dram = [](int latency) {
    return fmt::format(
        "  dram = {{ assumed = \"planted\", latency = \"{} clocks\", departure = \"0.04 clocks\" "
        "}},\n",
        latency);
  };
  const PlantedDevice near(with_copies(kSections, dram(600))),
      far(with_copies(kSections, dram(900)));
  for (const char* copy : {"bulk(2KB)", "tensor(64, 8)"}) {
    CAPTURE(copy);
    const auto region = [&](const char* before) {
      return fmt::format("{} threads 128 < async load {} x 4; wait >", before, copy);
    };
    const double cold = clocks_of(near, region("flush")).at(0);
    CHECK(clocks_of(far, region("flush")).at(0) - cold == doctest::Approx(300).epsilon(0.02));
    CHECK(cold - clocks_of(near, region("rehearse 1")).at(0) > 600 - 271 - 10);
  }
  const auto stores = [](const PlantedDevice& device) {
    return clocks_of(device, "flush threads 128 < async store bulk(2KB) x 4; wait >").at(0);
  };
  CHECK(stores(far) == doctest::Approx(stores(near)).epsilon(0.02));
}

TEST_CASE("copies of all SMs share the planted bandwidth of DRAM, and of L2") {
  GPX_NEEDS_NVRTC();
  const PlantedDevice device(with_copies(
      "  async_copy = { assumed = \"planted\", extra = \"57 clocks\" },\n"
      "  bulk_copy = { assumed = \"planted\", latency = \"440 clocks\", bandwidth = 64,\n"
      "    store_latency = \"90 clocks\", store_bandwidth = 16, l2_bandwidth = 2640,\n"
      "    l2_store_bandwidth = 1320 },\n"
      "  mbarrier = { assumed = \"planted\", arrive = \"19 clocks\", test = \"47 clocks\" },\n",
      "  dram = { assumed = \"planted\", latency = \"600 clocks\", departure = \"0.08 clocks\" "
      "},\n"));
  const auto rate = [&](const char* before, const char* op, int blocks) {
    const auto clocks = clocks_of(
        device,
        fmt::format("sweep n in [24, 48] {} threads 32 blocks {} < async {} bulk(2KB) x n; wait >",
                    before, blocks, op));
    return 24 * 2048 * blocks / (clocks.at(1) - clocks.at(0));
  };
  CHECK(rate("flush", "load", 132) == doctest::Approx(64 / 0.08).epsilon(0.02));
  CHECK(rate("warmup 1", "load", 132) == doctest::Approx(2640).epsilon(0.02));
  CHECK(rate("warmup 1", "store", 132) == doctest::Approx(1320).epsilon(0.02));
  CHECK(rate("warmup 1", "load", 1) == doctest::Approx(64).epsilon(0.02));
}

TEST_CASE("what a planted copy of a thread takes more than a load comes back") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result =
      PlantedDevice(with_copies(kSections)).run("hopper_async", kOnePlace).experiments.at(1);
  CHECK(clocks(result, "cp_async.over_load[cache=cg]") == doctest::Approx(57).epsilon(0.05));
}

TEST_CASE("planted operations on an mbarrier come back") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result =
      PlantedDevice(with_copies(kSections)).run("hopper_mbarrier").experiments.at(0);
  // The comparison and the selection of its PTX, which an assembler folds, take the virtual GPU 8.
  CHECK(bounds(get(result, "mbarrier.test_wait"), 47 + 8));
  CHECK(bounds(get(result, "mbarrier.try_wait"), 47 + 8));
  CHECK(bounds(get(result, "mbarrier.arrive"), 19));
}

TEST_CASE("a device refuses copies and mbarriers that it does not have, at their line") {
  const PlantedDevice none(with_copies(""));
  const std::string copy = none.complaint("threads 32 < async load unique(16B) width 16B; wait >");
  CHECK(copy.find("test.gpx:1") != std::string::npos);
  CHECK(copy.find("needs the unit async_copy") != std::string::npos);
  CHECK(none.complaint("threads 32 < async load bulk(4KB); wait >").find("the unit bulk_copy") !=
        std::string::npos);
  CHECK(none.complaint("threads 32 < mbarrier.test_wait x4 chain >").find("the unit mbarrier") !=
        std::string::npos);
  Session session(source_paths());
  RunOptions options;
  options.device = "gtx280";
  const auto refused =
      session.run(Source("test.gpx", "threads 32 < async load bulk(4KB); wait >"), options);
  const std::string old = refused ? render(refused->experiments.front().failure.value_or(Error{}))
                                  : render(refused.error());
  CAPTURE(old);
  CHECK(old.find("a bulk copy needs compute capability 9.0") != std::string::npos);
}

}  // namespace gpx::test
