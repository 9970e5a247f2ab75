// Where an SM is and where an address is served: partitions of L2, slices, copies of what was far.
#include "runtime/device/vgpu/memory/floorplan.h"

#include <doctest/doctest.h>

#include "runtime/device/vgpu/memory/memory_path.h"

using namespace gpx::vgpu::timing;

namespace {

/// Four TPCs of an SM; L2 in two partitions by address bit 12, DRAM in 300 clocks, L2 in 100.
Description with_partitions(bool copies) {
  Description device;
  device.clock_hz = 1e9;
  device.sm.count = 4;
  device.sm.warp_slots = 4;
  device.coalescer_line = 128;
  device.lsu = {1, 0, 0, 0};
  device.dram = {300, 0};
  device.shared.latency = 50;
  device.constant.latency = 500;
  device.l2 = Description::Cache{};
  device.l2->capacity = 16 * 128;
  device.l2->line = 128;
  device.l2->ways = 2;
  device.l2->latency = 100;
  device.l2->side_bits = 1 << 12;
  device.partitions = Description::Partitions{};
  device.partitions->extra = {0, 200, 210, 5};
  device.partitions->copies = copies;
  return device;
}

constexpr std::uint64_t kLinesOfSide = 4096 / 128;  // lines before the side changes

Clk load(MemorySystem& system, unsigned sm, std::uint64_t line, Clk clk) {
  return system.load({sm, line, clk}).clk - clk;
}

}  // namespace

TEST_CASE("an access takes more by the side of its SM and that of its address") {
  const Description device = with_partitions(false);
  MemorySystem system(device);
  const std::uint64_t line[] = {1, kLinesOfSide + 1};
  CHECK(load(system, 0, line[0], 0) == 300);
  CHECK(load(system, 0, line[1], 1000) == 500);  // DRAM behind the far partition
  for (const unsigned sm : {0u, 1u}) {
    CHECK(load(system, sm, line[0], 2000) == 100);
    CHECK(load(system, sm, line[1], 2000) == 300);
  }
  for (const unsigned sm : {2u, 3u})
    for (const Clk clk : {3000, 4000}) {  // the second time, too: nothing was left near
      CHECK(load(system, sm, line[0], clk) == 310);
      CHECK(load(system, sm, line[1], clk) == 105);
    }
}

TEST_CASE("a side for each TPC is what the device file says") {
  Description device = with_partitions(false);
  device.partitions->sides = {1, 0, 0, 1};
  const Floorplan plan(device);
  CHECK(plan.side(0) == 1);
  CHECK(plan.side(1) == 0);
  CHECK(plan.side(3) == 1);
  CHECK(plan.extra(1, 0, 1) == 200);
  CHECK(plan.extra(3, 0, 0) == 210);
}

TEST_CASE("what was found far leaves a copy near, until the line changes") {
  const Description device = with_partitions(true);
  MemorySystem system(device);
  CHECK(load(system, 0, 1, 0) == 300);
  CHECK(load(system, 2, 1, 1000) == 310);  // far
  CHECK(load(system, 3, 1, 1100) == 210);  // the copy is on its way: it arrives at 1310
  CHECK(load(system, 3, 1, 2000) == 105);  // the copy
  CHECK(load(system, 0, 1, 3000) == 100);  // the line itself
  system.store({0, 1, 4000});
  CHECK(load(system, 2, 1, 5000) == 310);
  CHECK(load(system, 2, 1, 6000) == 105);
  system.atomic({2, 1, 7000}, {});
  CHECK(load(system, 2, 1, 8000) == 310);
}

TEST_CASE("a store from the side of a copy changes it, where the device keeps copies") {
  Description device = with_partitions(true);
  device.partitions->keeps_copies = true;
  MemorySystem system(device);
  using Kind = Slices::Kind;
  load(system, 2, 1, 0);  // a copy for SMs 2 and 3
  CHECK(load(system, 3, 1, 2000) == 105);
  system.store({3, 1, 3000, Kind::store});
  CHECK(load(system, 2, 1, 4000) == 105);
  system.store({0, 1, 5000, Kind::store});
  CHECK(load(system, 2, 1, 6000) == 310);
  system.atomic({2, 1, 7000, Kind::atomic}, {});
  CHECK(load(system, 2, 1, 8000) == 310);
}

TEST_CASE("copies take the place of lines of that partition") {
  const Description device = with_partitions(true);
  MemorySystem system(device);
  // 4 sets of 2 ways a partition: lines 4 apart share a set.
  load(system, 2, kLinesOfSide + 0, 0);
  load(system, 2, kLinesOfSide + 4, 1000);
  CHECK(load(system, 2, kLinesOfSide + 0, 2000) == 105);
  load(system, 2, 0, 3000);  // a copy, in the place of the least recent line
  CHECK(load(system, 2, kLinesOfSide + 4, 4000) == 305);
  const Description alone = with_partitions(false);
  MemorySystem other(alone);
  load(other, 2, kLinesOfSide + 0, 0);
  load(other, 2, kLinesOfSide + 4, 1000);
  load(other, 2, 0, 3000);
  CHECK(load(other, 2, kLinesOfSide + 4, 4000) == 105);
}

TEST_CASE("an upload fills both partitions") {
  Description::Cache cache;
  cache.capacity = 16 * 128;
  cache.line = 128;
  cache.ways = 2;
  cache.side_bits = 1 << 7;
  Cache l2(cache);
  const std::vector<LineRange> buffer = {{0, 1000}};
  l2.upload(buffer);
  // Sides alternate and a side's lines fall into every other one of its four sets.
  unsigned there = 0;
  for (std::uint64_t line = 0; line < 1000; ++line) there += l2.find(line) != nullptr;
  CHECK(there == 8);
  for (std::uint64_t line = 0; line < 8; ++line) CHECK(l2.find(line));
}

TEST_CASE("a number of parities modulo the sets chooses one of any number of sets") {
  Description::Cache cache;
  cache.capacity = 3 * 2 * 32;
  cache.line = 32;
  cache.ways = 2;
  cache.set_bits = {1 << 5 | 1 << 9, 1 << 6, 1 << 7 | 1 << 11, 1 << 8};
  cache.set_modulo = true;
  const SetFunction set_of(cache);
  for (std::uint64_t address = 0; address < 1 << 13; address += 32) {
    const auto bit = [&](unsigned n) { return address >> n & 1; };
    const std::uint64_t number =
        (bit(5) ^ bit(9)) | bit(6) << 1 | (bit(7) ^ bit(11)) << 2 | bit(8) << 3;
    REQUIRE(set_of(address / 32) == number % 3);
  }
}

TEST_CASE("the distance of an SM and a slice adds to all that passes L2") {
  Description device = with_partitions(false);
  device.partitions.reset();
  device.l2->side_bits = 0;
  device.slice_bits = {1 << 7 | 1 << 9, 1 << 8};
  device.slice_distances = {{0, 10, 20}, {1, 11, 21}, {2, 12, 22}, {3, 13, 23}};
  MemorySystem system(device);
  const Clk slice_of_line[] = {0, 1, 2, 0, 1, 0};  // numbers 0 1 2 3 1 0 modulo 3 slices
  for (std::uint64_t line = 0; line < 6; ++line) {
    CHECK(load(system, 0, line, 0) == 300 + 10 * slice_of_line[line]);
    for (unsigned sm = 0; sm < 4; ++sm)
      CHECK(load(system, sm, line, 1000) == 100 + sm + 10 * slice_of_line[line]);
  }
  CHECK(system.store({3, 1, 2000}).clk == 2000 + 113);
  CHECK(system.atomic({3, 1, 3000}, {}).clk == 3000 + 113);
}
