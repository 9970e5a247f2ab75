#include "runtime/fleet/cause.h"

#include <doctest/doctest.h>

using namespace gpx::fleet;

namespace {

/// A fleet of two boards and the verdicts of the first, by the names of findings.
struct Pattern {
  Fleet fleet;
  Likeness likeness;

  Pattern() {
    for (const char* serial : {"a", "b"}) {
      Board& board = fleet.boards.emplace_back();
      board.serial = serial;
      board.device = "GPU";
      board.state.sm_mhz = {1980};
      board.state.memory_mhz = {2619};
      board.state.experiments = 10;
    }
    likeness.peers = 1;
  }
  Pattern& add(const std::string& name, const std::string& unit, Standing standing, int times = 1) {
    for (int i = 0; i < times; ++i) {
      Judged& judged = likeness.judged.emplace_back();
      judged.finding = static_cast<std::uint32_t>(fleet.findings.size());
      judged.standing = standing;
      fleet.findings.push_back({"made", name, unit, &kind_of(name, unit)});
    }
    return *this;
  }
  std::string first() const {
    const auto causes = causes_of(fleet, likeness);
    return causes.empty() ? "" : causes.front().name;
  }
};

}  // namespace

TEST_CASE("the parts that differ name the cause") {
  CHECK(Pattern()
            .add("tlb.miss.latency", "clocks", Standing::above)
            .add("miss.latency", "clocks", Standing::same)
            .add("l1.latency", "clocks", Standing::same, 5)
            .first() == "page walks");
  CHECK(Pattern()
            .add("miss.latency", "clocks", Standing::above, 2)
            .add("bandwidth.read", "B/s", Standing::below)
            .add("l2.latency", "clocks", Standing::same, 3)
            .first() == "memory clock");
  CHECK(Pattern()
            .add("device.sm_count", "", Standing::structure)
            .add("wgmma.throughput", "TFLOPS", Standing::below, 3)
            .first() == "a disabled GPC or TPC (number of SMs)");
}

TEST_CASE("the driver's readings decide between causes of one pattern") {
  Pattern slow;
  slow.add("wgmma.throughput", "TFLOPS", Standing::below, 4)
      .add("op.x.throughput", "ops/clock", Standing::same, 4);
  Pattern clock = slow, capped = slow;
  clock.fleet.boards[0].state.sm_mhz = {1900};
  CHECK(clock.first() == "SM clock");
  capped.fleet.boards[0].state.throttled = 3;
  CHECK(capped.first() == "power cap or throttling");
  Pattern shared;
  shared.add("miss.latency", "clocks", Standing::above, 2)
      .add("l2.latency", "clocks", Standing::above, 2)
      .add("wgmma.throughput", "TFLOPS", Standing::below, 2);
  shared.fleet.boards[0].state.disturbed = 4;
  CHECK(shared.first() == "another tenant of the GPU");
}

TEST_CASE("nothing that differs has no cause") {
  CHECK(Pattern().add("l1.latency", "clocks", Standing::same, 3).first().empty());
}
