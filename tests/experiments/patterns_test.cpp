// The six patterns of access (ME4) on GPUs that are built otherwise than those of the paper: the
// description is changed, and the latencies of the patterns that it concerns follow, also where
// that turns their order round.
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

/// What an analysis finds on a device of which some text is replaced. `operation` makes an address.
ExperimentResult analysis_of(const std::string& device, const Changes& changes,
                             const std::string& analysis, const std::string& operation) {
  const Source source(
      "patterns", fmt::format("experiment patterns {{\n  sweep count in [64, 128, 192, 256]\n"
                              "  measure address {{ < {} x count chain > }}\n  analyze {}\n}}\n",
                              operation, analysis));
  RunResult result = PlantedDevice(device, changes).run(source);
  return std::move(result.experiments.at(0));
}

ExperimentResult patterns_of(const std::string& device, const Changes& changes,
                             const std::string& cache = "ca") {
  return analysis_of(
      device, changes,
      fmt::format("global_patterns(cache = \"{}\", address = \"address\", count = count)", cache),
      "add.u32");
}

/// A truth of 0 stands for a pattern that is not there.
void check_patterns(const ExperimentResult& result, const std::array<double, 6>& truths) {
  for (std::size_t k = 0; k < truths.size(); ++k) {
    const Finding& finding = get(result, fmt::format("global.pattern[{}]", k + 1));
    CAPTURE(finding.name);
    CAPTURE(finding.note);
    if (truths[k] == 0) {
      CHECK(finding.verdict == Verdict::not_observed);
    } else {
      CHECK(number(finding) == doctest::Approx(truths[k] + 1).epsilon(0.003));  // Noise: 0 to 2.
      CHECK(*finding.low <= truths[k]);
      CHECK(truths[k] + 2 <= *finding.high);
    }
  }
}

}  // namespace

TEST_CASE("other latencies of Kepler come back, also in another order, and another window") {
  check_patterns(
      patterns_of("gtx780", {{"miss = { \"59 clocks\"", "miss = { \"400 clocks\""},
                             {"latency = { \"371 clocks\"", "latency = { \"420 clocks\""},
                             {"size = { \"512 MB\"", "size = { \"300 MB\""},
                             {"\"629 clocks\"", "\"900 clocks\""}}),
      {230, 236, 630, 420, 783, 1320});
}

TEST_CASE("a larger L1, another L2 and smaller pages leave each pattern its accesses") {
  const std::string l1 =
      "capacity = \"16 KB\",\n    line = \"128 B\",\n    ways = 4,\n    policy = \"weighted\",\n"
      "    way_probability = { 1/6, 1/2, 1/6, 1/6 },\n    latency = { \"116 clocks\"";
  const ExperimentResult result = patterns_of(
      "gtx560ti", {{l1,
                    "capacity = \"48 KB\",\n    line = \"128 B\",\n    ways = 6,\n    latency = { "
                    "\"90 clocks\""},
                   {"latency = { \"371 clocks\", source = \"mei2014 Table 3, L1",
                    "latency = { \"400 clocks\", source = \"mei"},
                   {"page = \"2 MB\",\n    entries = 16", "page = \"1 MB\",\n    entries = 16"},
                   {"page = \"2 MB\",\n    set_sizes", "page = \"1 MB\",\n    set_sizes"}});
  check_patterns(result, {90, 433, 517, 654, 1260, 0});
}

TEST_CASE("without a second TLB, without any, without caches: a pattern is missed, not made up") {
  const std::string source = "mei2014 Table 4 and Fig. 10: 130 MB, 2 MB an entry";
  const std::string second =
      "  tlb_l2 = {\n    source = \"" + source +
      "\",\n    page = \"2 MB\",\n    set_sizes = { 17, 8, 8, 8, 8, 8, 8 },\n"
      "    scope = { \"gpu\", source = \"mei2014 section 4.2: off-chip, shared by all SMs\" },\n"
      "    miss = { \"111 clocks\", source = \"mei2014 Table 3, L1 disabled: pattern 3 against "
      "pattern "
      "1\" },\n    miss_dram = { \"606 clocks\", source = \"mei2014 Table 3, L1 disabled: pattern "
      "5 "
      "against pattern 4\" },\n  },\n";
  check_patterns(patterns_of("gtx560ti", {{second, ""}}, "cg"), {371, 0, 398, 639, 666, 0});
  const ExperimentResult bare = patterns_of("gtx280", {});
  for (int k : {1, 2, 3, 6})
    CHECK(get(bare, fmt::format("global.pattern[{}]", k)).verdict == Verdict::not_observed);
  CHECK(number(get(bare, "global.pattern[4]")) == doctest::Approx(440).epsilon(0.01));
  CHECK(number(get(bare, "global.pattern[5]")) == doctest::Approx(698).epsilon(0.01));
}

TEST_CASE("other latencies of a texture's TLBs come back with data from memory") {
  const ExperimentResult result = analysis_of(
      "gtx280",
      {{"texture = { latency = { \"497 clocks\"", "texture = { latency = { \"600 clocks\""},
       {"miss = { \"47 clocks\", source = \"wong2010 section IV-I2",
        "miss = { \"80 clocks\", source = \"wong2010 section IV-I2"},
       {"entries = 4096,\n    ways = 8", "entries = 8192,\n    ways = 8"}},
      "tlb(space = \"texture\", address = \"address\", count = count)", "shr.u32");
  CHECK(number(get(result, "tex.tlb.l2.capacity")) == 32 << 20);
  CHECK(number(get(result, "tex.tlb.l1.latency")) == doctest::Approx(600).epsilon(0.004));
  CHECK(number(get(result, "tex.tlb.l2.latency")) == doctest::Approx(680).epsilon(0.004));
  CHECK(number(get(result, "tex.tlb.miss.latency")) == doctest::Approx(856).epsilon(0.004));
}

}  // namespace gpx::test
