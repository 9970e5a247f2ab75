// Who shares the caches of constants and code, and what they hand over, on GPUs that are built
// otherwise: the findings follow what was changed and nothing else.
#include <fmt/format.h>

#include <utility>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

const std::pair<std::string, std::string> kOwnL2 = {
    "same_as = { \"constant_l2\", source = \"wong2010 section IV-J5, Fig. 21\" },",
    "capacity = \"16 KB\", line = \"128 B\", ways = 8, scope = \"tpc\","};
const std::pair<std::string, std::string> kOwnL3 = {
    "same_as = { \"constant_l3\", source = \"wong2010 section IV-J5, Fig. 21\" },",
    "capacity = \"64 KB\", line = \"256 B\", ways = 8, scope = \"gpu\","};

TEST_CASE("caches of code of their own are shared with no constants, which share as before") {
  const ExperimentResult result =
      PlantedDevice("gtx280", {kOwnL2, kOwnL3}).first("gt200_constant_sharing");
  for (const char* level : {"l1", "l2", "l3"})
    CHECK(text(get(result, fmt::format("const.{}.shared_with", level))) == "none");
  CHECK(text(get(result, "const.l1.scope")) == "SM");
  CHECK(text(get(result, "const.l2.scope")) == "TPC");
  CHECK(text(get(result, "const.l3.scope")) == "GPU");
}

TEST_CASE("one of two levels apart from the code is one that is not shared") {
  const ExperimentResult result = PlantedDevice("gtx280", {kOwnL2}).first("gt200_constant_sharing");
  CHECK(text(get(result, "const.l2.shared_with")) == "none");
  CHECK(text(get(result, "const.l3.shared_with")) == "instruction");
}

const Changes kPairs = {
    {"per_tpc = 3", "per_tpc = 2"},
    {"0, -4, 3, -2, 2, -3, 1, 3, -1, 1,", "0, -4, 3, -2, 2, -3, 1, 3, -1, 1, 2, 0, -1, 1, 0,"},
    {"    capacity = \"2 KB\",\n    line = \"64 B\",\n    ways = 4,\n    scope = \"sm\"",
     "    capacity = \"3 KB\",\n    line = \"64 B\",\n    ways = 6,\n    scope = \"tpc\""}};

TEST_CASE("TPCs of two SMs, and a first level that they share") {
  const ExperimentResult result = PlantedDevice("gtx280", kPairs).first("gt200_constant_sharing");
  CHECK(text(get(result, "const.l1.scope")) == "TPC");
  CHECK(get(result, "const.l1.scope").note.find("SM 0, 1 displace") != std::string::npos);
  CHECK(text(get(result, "const.l2.scope")) == "TPC");
  CHECK(text(get(result, "const.l3.scope")) == "GPU");
}

TEST_CASE("a first level of 512 B is not passed over") {
  const std::string small =
      "    capacity = \"512 B\",\n    line = \"64 B\",\n    ways = 4,\n    scope = \"sm\"";
  const ExperimentResult result =
      PlantedDevice("gtx280", {{"    capacity = \"2 KB\",\n    line = \"64 B\",\n    ways = 4,\n"
                                "    scope = \"sm\"",
                                small}})
          .first("gt200_constant_sharing");
  CHECK(text(get(result, "const.l1.scope")) == "SM");
  CHECK(text(get(result, "const.l2.scope")) == "TPC");
  CHECK(text(get(result, "const.l3.scope")) == "GPU");
}

TEST_CASE("a second level of the whole GPU") {
  const PlantedDevice device("gtx280", {{"scope = \"tpc\",\n    latency = { \"81 clocks\"",
                                         "scope = \"gpu\",\n    latency = { \"105 clocks\""}});
  const ExperimentResult result = device.first("gt200_constant_sharing");
  CHECK(text(get(result, "const.l1.scope")) == "SM");
  CHECK(text(get(result, "const.l2.scope")) == "GPU");
}

TEST_CASE("another bandwidth, of all SMs and of one") {
  const PlantedDevice device(
      "gtx280", {{"bandwidth = 9.75", "bandwidth = 7"}, {"per_sm = 1.2,", "per_sm = 1.05,"}});
  const ExperimentResult result = device.first("gt200_constant_bandwidth");
  const Finding& all = get(result, "const.l3.bandwidth");
  CHECK(number(all) == doctest::Approx(7).epsilon(0.03));
  CHECK(number(get(result, "const.l3.bandwidth_per_sm")) == doctest::Approx(1.05).epsilon(0.03));
}

TEST_CASE("another size of a fetch") {
  GPX_NEEDS_NVRTC();
  for (const int bytes : {32, 128}) {
    const PlantedDevice device("gtx280",
                               {{"fetch = { \"64 B\"", fmt::format("fetch = {{ \"{} B\"", bytes)}});
    const ExperimentResult result = device.first("gt200_instruction_fetch");
    const Finding& fetch = get(result, "inst.fetch");
    // The others may take lines in step with the warp, which then misses two of four fetches of 128
    // B.
    if (bytes == 128 && fetch.verdict == Verdict::inconclusive) continue;
    CHECK(number(fetch) == bytes);
  }
}

TEST_CASE("other caches of code") {
  GPX_NEEDS_NVRTC();
  Changes changes = kPairs;
  changes.push_back({"capacity = \"8 KB\",\n    line = \"256 B\",\n    ways = 4",
                     "capacity = \"12 KB\",\n    line = \"256 B\",\n    ways = 6"});
  const ExperimentResult result = PlantedDevice("gtx280", changes).first("gt200_instruction_cache");
  CHECK(number(get(result, "inst.l2.capacity")) == 12 << 10);
  CHECK(number(get(result, "inst.l2.ways")) == 6);
  CHECK(text(get(result, "inst.l2.scope")) == "TPC");
  CHECK(number(get(result, "inst.l3.capacity")) == 32 << 10);
  CHECK(text(get(result, "inst.l1.scope")) == "SM");
}

}  // namespace
}  // namespace gpx::test
