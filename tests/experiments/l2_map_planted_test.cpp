// hopper_l2_map.gpx against planted distances: an H100 of 20 SMs with other sides of its TPCs and
// slices at other distances.
#include <fmt/format.h>

#include "tests/experiments/support.h"
#include "tests/left_out.h"

namespace gpx::test {
namespace {

RunResult map_of(const Changes& more) {
  Changes changes = {{"count = 132", "count = 20"}, {"for tpc = 0, 65 do", "for tpc = 0, 9 do"}};
  changes.insert(changes.end(), more.begin(), more.end());
  return PlantedDevice("hopper", changes).run("hopper_l2_map", {{"lines", "24"}});
}

// Side 0: TPCs 1, 5 and 2, 7, 8; side 1: TPCs 0, 9 and 3, 4, 6.
const char* kSides = "far_hit = { \"copy\"";
const char* kOtherSides = "sides = { 1, 0, 0, 1, 1, 0, 1, 0, 0, 1 },\n    far_hit = { \"copy\"";
const char* kOffsets = "interconnect = { offsets = offsets }";

std::string slices() {
  const char* rows[] = {"0, 12, 24, 36, 48, 36, 24, 12", "48, 36, 24, 12, 0, 12, 24, 36",
                        "24, 36, 48, 36, 24, 12, 0, 12", "36, 0, 12, 48, 24, 24, 12, 36"};
  const int group[] = {2, 0, 1, 3, 3, 0, 3, 1, 1, 2};
  std::string text =
      "interconnect = { offsets = offsets, assumed = \"planted\", "
      "slice_bits = { {7, 11, 15}, {8, 14, 18}, {9, 16, 20} }, distances = {";
  for (const int g : group) text += fmt::format(" {{ {} }},", rows[g]);
  return text + " } }";
}

}  // namespace

TEST_CASE("planted sides and distances come back from the map of L2") {
  GPX_NEEDS_NVRTC();
  const RunResult result = map_of({{kSides, kOtherSides}, {kOffsets, slices()}});
  const ExperimentResult& map = result.experiments.at(0);
  CHECK(number(get(map, "l2.map.partitions")) == 2);
  CHECK(get(map, "l2.map.partitions").note.find("(0-1, 6-9, 12-13, 18-19)") != std::string::npos);
  CHECK(number(get(map, "l2.map.groups[level=1]")) == 2);
  CHECK(number(get(map, "l2.map.groups[level=2]")) == 4);
  CHECK(get(map, "l2.map.groups[level=2]")
            .note.find("0-1, 18-19; 2-3, 10-11; 4-5, 14-17; 6-9, 12-13") != std::string::npos);
  // The virtual H100's clock, by its timer.
  CHECK(number(get(map, "l2.map.clock")) == doctest::Approx(1.98e9).epsilon(0.002));
  // 178 clocks between the halves of an H100.
  CHECK(number(get(map, "l2.map.far")) - number(get(map, "l2.map.near")) ==
        doctest::Approx(178).epsilon(0.06));
}

TEST_CASE("without slices the sides alone are seen") {
  GPX_NEEDS_NVRTC();
  const RunResult result = map_of({});
  const ExperimentResult& map = result.experiments.at(0);
  CHECK(number(get(map, "l2.map.partitions")) == 2);
  CHECK(number(get(map, "l2.map.groups[level=1]")) == 2);
  CHECK(find(map, "l2.map.groups[level=2]") == nullptr);
}

}  // namespace gpx::test
