// The capacity of all of L2, and the part of it that one SM reaches without crossing, on GPUs whose
// L2 is one, two halves that keep copies of each other's lines, and two halves that keep none.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

constexpr double kWhole = 3072 << 10;

/// L2's findings of a GTX 780 with 3 MB of L2, these halves, and another latency of its DRAM.
ExperimentResult found_with(const std::string& halves, const std::string& latency = "371 clocks") {
  const std::string sets = halves.empty() ? "{ 15, 25, 35 }, { 16, 26, 36 }, { 17, 27, 37 }," : "";
  Changes changes = {{"\"1536 KB\"", "\"3072 KB\""},
                     {"  dram = {", halves + "\n  dram = {"},
                     {"371 clocks", latency}};
  if (!sets.empty()) changes.push_back({"{ 15, 25, 35 }, { 16, 26, 36 },", sets});
  const char* text = R"(experiment whole "L2" {
  sweep   count in [16, 31, 45, 64, 96]
  repeat  3 reduce min
  measure address { < add.u32 x count chain > }
  analyze cache(cache = "ca", address = "address", count = count, level = "l2", whole = true)
})";
  RunResult result = PlantedDevice("gtx780", changes).run(Source("whole.gpx", text));
  return std::move(result.experiments.at(0));
}

std::string halves(const char* left) {
  return fmt::format(
      "  l2_partitions = {{ side_bits = {{ {{ 14, 18, 21 }} }}, extra = {{ 0, 120, 120, 0 }}, "
      "far_hit = \"{}\", assumed = \"planted\" }},",
      left);
}

bool says_part(const ExperimentResult& result) {
  return get(result, "l2.capacity").note.find("one SM reaches without crossing") !=
         std::string::npos;
}

}  // namespace

TEST_CASE("halves with copies: one SM sees half of L2, and both halves are measured") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result = found_with(halves("copy"));
  CHECK(number(get(result, "l2.capacity")) == kWhole / 2);
  CHECK(says_part(result));
  const Finding& whole = get(result, "l2.whole_capacity");
  CHECK(number(whole) == doctest::Approx(kWhole).epsilon(0.05));
  CHECK(whole.low.value() > 0.9 * kWhole);
  CHECK(whole.low.value() <= kWhole);
  CHECK(whole.high.value() >= kWhole);
  CHECK(whole.high.value() < 1.15 * kWhole);
}

TEST_CASE("halves without copies, and an L2 of one part: one SM reaches the whole") {
  GPX_NEEDS_NVRTC();
  for (const std::string& part : {halves("nothing"), std::string()}) {
    const ExperimentResult result = found_with(part);
    CHECK(number(get(result, "l2.capacity")) == kWhole);
    CHECK_FALSE(says_part(result));
    CHECK(number(get(result, "l2.whole_capacity")) == kWhole);
  }
}

// A miss takes 16 clocks more than a hit: too many for a hit, too few for a miss.
TEST_CASE("misses_as_fast_as_hits: all of L2 is inconclusive") {
  GPX_NEEDS_NVRTC();
  const ExperimentResult result = found_with(halves("copy"), "246 clocks");
  const Finding& whole = get(result, "l2.whole_capacity");
  CHECK(whole.verdict == Verdict::inconclusive);
  CHECK_MESSAGE(whole.note.find("hits and misses of L2 are not apart") != std::string::npos,
                whole.note);
}

}  // namespace gpx::test
