// Banks, TLBs, the page window and latencies of GPUs that are built otherwise than those of the
// papers: the description is changed, and the findings follow.
#include <fmt/format.h>

#include "tests/experiments/support.h"

namespace gpx::test {
TEST_CASE("other TLBs come back: page, entries, sets") {
  const PlantedDevice device("gtx280",
                             {{"page = \"512 KB\",\n    entries = 16,\n    ways = 16",
                               "page = \"64 KB\",\n    entries = 24,\n    ways = 24"},
                              {"entries = 8192,\n    ways = 8", "entries = 2048,\n    ways = 4"}});
  const ExperimentResult result = device.first("gt200_tlb");
  CHECK(number(get(result, "tlb.l1.page")) == 64 << 10);
  CHECK(number(get(result, "tlb.l1.entries")) == 24);
  CHECK(number(get(result, "tlb.l1.sets")) == 1);
  CHECK(number(get(result, "tlb.l2.page")) == 4 << 10);
  CHECK(number(get(result, "tlb.l2.ways")) == 4);
  CHECK(number(get(result, "tlb.l2.entries")) == 2048);
  CHECK(holds(get(result, "tlb.l1.latency"), 440));
  CHECK(holds(get(result, "tlb.l2.latency"), 487));
  CHECK(holds(get(result, "tlb.miss.latency"), 698));
}

TEST_CASE("a page window of another size comes back, and none where there is none") {
  const PlantedDevice device("gtx780", {{"size = { \"512 MB\"", "size = { \"300 MB\""}});
  const ExperimentResult small = device.first("page_window");
  CHECK(number(get(small, "global.page_window")) == 300 << 20);
  CHECK(holds(get(small, "global.latency"), 371));
  const ExperimentResult none = PlantedDevice("gtx560ti", {}).first("page_window");
  CHECK(get(none, "global.page_window").verdict == Verdict::not_observed);
}

TEST_CASE("levels of other sizes and latencies come back") {
  const PlantedDevice device(
      "gtx560ti", {{"capacity = \"16 KB\"", "capacity = \"24 KB\""},
                   {"ways = 4", "ways = 6"},
                   {"policy = \"weighted\",\n    way_probability = { 1/6, 1/2, 1/6, 1/6 },",
                    "policy = \"lru\","},
                   {"\"116 clocks\"", "\"80 clocks\""},
                   {"\"371 clocks\"", "\"300 clocks\""}});
  const ExperimentResult result = device.first("memory_levels");
  CHECK(holds(get(result, "global.ca.level1.latency"), 80));
  CHECK(holds(get(result, "global.ca.level1.reach"), 24 << 10));
  CHECK(holds(get(result, "global.cg.level1.latency"), 300));
  CHECK(holds(get(result, "global.cg.level1.reach"), 512 << 10));
  CHECK(get(result, "global.cg.level2.reach").verdict == Verdict::not_observed);
}

TEST_CASE("other banks come back, and none where nothing conflicts") {
  const PlantedDevice device("gtx560ti", {{"banks = { 32,", "banks = { 16,"},
                                          {"pass = \"37.4 clocks\"", "pass = \"6 clocks\""}});
  const ExperimentResult few = device.first("shared_banks");
  CHECK(number(get(few, "shared.banks")) == 16);
  CHECK(number(get(few, "shared.bank_width")) == 4);
  CHECK(holds(get(few, "shared.conflict"), 6));
  const PlantedDevice flat("gtx560ti",
                           {{"pass = \"37.4 clocks\"", "pass = \"0 clocks\""},
                            {"\"2 clocks\", assumed = \"16", "\"0 clocks\", assumed = \"16"}});
  CHECK(get(flat.first("shared_banks"), "shared.banks").verdict == Verdict::not_observed);
}

}  // namespace gpx::test
