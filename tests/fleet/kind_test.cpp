#include "runtime/fleet/kind.h"

#include <doctest/doctest.h>

using namespace gpx::fleet;

TEST_CASE("a finding's name and unit give its part, its sense and its scatter") {
  const struct {
    const char *name, *unit;
    Part part;
    Sense sense;
  } rows[] = {
      {"tlb.miss.latency", "clocks", Part::walks, Sense::time},
      {"miss.latency", "clocks", Part::memory, Sense::time},
      {"const.miss.latency", "clocks", Part::memory, Sense::time},
      {"global.latency", "clocks", Part::memory, Sense::time},
      {"bandwidth.read", "B/s", Part::memory, Sense::rate},
      {"l2.latency", "clocks", Part::l2, Sense::time},
      {"global.cg.level1.latency", "clocks", Part::l2, Sense::time},
      {"l1.latency", "clocks", Part::l1, Sense::time},
      {"shared.conflict[stride=2]", "clocks", Part::shared, Sense::time},
      {"const.l1.latency", "clocks", Part::constants, Sense::time},
      {"op.add.u32.latency", "clocks", Part::pipes, Sense::time},
      {"op.add.u32.throughput", "ops/clock", Part::pipes, Sense::rate},
      {"wgmma.throughput[type=s8]", "TOPS", Part::compute, Sense::rate},
      {"power.under_load[pipe=x]", "W", Part::power, Sense::quantity},
      {"clock.under_load[pipe=x]", "MHz", Part::clock, Sense::rate},
      {"device.clock_hz", "Hz", Part::clock, Sense::rate},
      {"device.sm_count", "", Part::units, Sense::quantity},
      {"const.l2.scope", "", Part::units, Sense::quantity},
      {"l1.ways", "", Part::structure, Sense::quantity},
      {"l2.capacity", "B", Part::structure, Sense::quantity},
      {"what.nobody.knows", "bananas", Part::structure, Sense::quantity},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(kind_of(row.name, row.unit).part == row.part);
    CHECK(kind_of(row.name, row.unit).sense == row.sense);
  }
}

TEST_CASE("every kind but the last has a scatter or is counted") {
  for (const char* unit : {"clocks", "ops/clock", "B/s", "W", "MHz"}) {
    const Kind& kind = kind_of("x", unit);
    CHECK(kind.run > 0);
    CHECK(kind.board > 0);
    CHECK(kind.freedom >= 4);
  }
}

TEST_CASE("a direction is said in the words of the kind") {
  CHECK(direction(kind_of("l2.latency", "clocks"), true) == "slower");
  CHECK(direction(kind_of("op.x.throughput", "ops/clock"), true) == "faster");
  CHECK(direction(kind_of("power", "W"), true) == "higher");
}
