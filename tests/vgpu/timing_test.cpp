// The parts of the timing model, each alone: both edges of what blocks and what lets go.
#include <doctest/doctest.h>

#include <set>

#include "runtime/device/vgpu/timing/barrier.h"
#include "runtime/device/vgpu/timing/block_scheduler.h"
#include "runtime/device/vgpu/timing/event_queue.h"
#include "runtime/device/vgpu/timing/issue.h"
#include "runtime/device/vgpu/timing/load_store.h"
#include "runtime/device/vgpu/timing/scoreboard.h"
#include "runtime/device/vgpu/timing/warp_scheduler.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;
namespace ptx = gpx::ptx;

namespace {

constexpr exec::Mask kAll = 0xffffffff;

exec::Lanes strided(std::uint64_t bytes, unsigned share = 1, std::uint64_t base = 1 << 20) {
  exec::Lanes lanes;
  for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = base + i / share * bytes;
  return lanes;
}

Requests requests_of(const exec::Lanes& lanes, exec::Mask active = kAll) {
  Requests requests;
  Coalescer(128).coalesce(active, lanes, requests);
  return requests;
}

/// One lane, one line.
Requests one_line(std::uint64_t line) {
  return requests_of(strided(0, 1, line * 128), 1);
}

/// 100 clocks to L2, 300 to DRAM, a clock a lane to issue, nothing to write back; no limit.
Description plain_device() {
  Description device;
  device.clock_hz = 1e9;
  device.sm.count = 1;
  device.lsu = {1, 0, 1, 0};
  device.l2 = {64 * 1024, 128, 4, 100};
  device.dram = {300, 0};
  return device;
}

Description::Cache small_cache() {
  return {4 * 128 * 3, 128, 4, 1};  // 3 sets of 4 ways
}

bool holds(Cache& cache, std::uint64_t line) {
  return cache.find(line) != nullptr;
}

/// Clocks from 0 until the registers of a load are ready.
Clk latency(MemoryPath& path, const Requests& requests, Clk clk = 0) {
  return path.load(requests, clk, false).complete - clk;
}

}  // namespace

TEST_CASE("lanes of one line make one request, complete after its last lane") {
  const Requests merged = requests_of(strided(128, 4));
  CHECK(merged.count == 8);
  CHECK(merged.lanes == 32);
  CHECK(merged.lanes_of[0] == 4);
  CHECK(merged.complete_after[0] == 4);
  CHECK(merged.complete_after[7] == 32);
  CHECK(requests_of(strided(128)).count == 32);
  CHECK(requests_of(strided(0)).count == 1);
  CHECK(requests_of(strided(4)).count == 1);
  CHECK(requests_of(strided(8)).count == 2);
}

TEST_CASE("only active lanes make requests, in whatever order their addresses are") {
  CHECK(requests_of(strided(128), 0).count == 0);
  CHECK(requests_of(strided(128), 0xff).count == 8);
  exec::Lanes lanes = strided(128);
  lanes[1] = lanes[9] = lanes[0];  // comes back after others
  lanes[31] = lanes[5];
  const Requests requests = requests_of(lanes);
  CHECK(requests.count == 29);
  CHECK(requests.lanes_of[0] == 3);
  CHECK(requests.complete_after[0] == 10);
  std::set<std::uint64_t> lines(requests.line.begin(), requests.line.begin() + requests.count);
  CHECK(lines.size() == 29);
}

TEST_CASE("a table with a free entry lets in at once, a full one at the earliest release") {
  Releases table(2);
  CHECK(table.wait(5) == 5);
  table.take(20);
  CHECK(table.wait(6) == 6);
  table.take(10);
  CHECK_FALSE(table.free_at(9));
  CHECK(table.wait(7) == 10);
  table.take(30);
  CHECK_FALSE(table.free_at(19));
  CHECK(table.free_at(20));
  table.take(40);
  table.clear();
  CHECK(table.wait(0) == 0);
}

TEST_CASE("an MSHR serves up to its merges, and a line that is back is no longer pending") {
  Mshr mshr({4, 8});
  CHECK(mshr.admit(0) == 0);
  mshr.book(7, 6, 0, 100, 103);
  Clk returned = 0;
  CHECK(mshr.merge(7, 1, 50, returned) == 1);
  CHECK(returned == 100);
  CHECK(mshr.merge(7, 4, 50, returned) == 1);  // 8 lanes in all
  CHECK(mshr.merge(7, 1, 50, returned) == 0);
  CHECK(mshr.merge(8, 1, 50, returned) == 0);
  mshr.book(9, 1, 60, 200, 203);
  CHECK(mshr.merge(9, 1, 202, returned) == 1);
  CHECK(mshr.merge(9, 1, 203, returned) == 0);
  mshr.clear();
  CHECK(mshr.merge(9, 1, 0, returned) == 0);
}

TEST_CASE("a PRT counts warp loads, whatever number of requests they make") {
  Prt prt({2, 0});
  CHECK(prt.next(0, 32) == 0);
  prt.admit(0, 32);
  prt.book(100);
  CHECK(prt.next(1, 1) == 1);
  prt.admit(1, 1);
  prt.book(90);
  CHECK(prt.next(2, 1) == 90);
  prt.admit(90, 1);
  prt.book(200);
  CHECK(prt.next(99, 1) == 100);
}

TEST_CASE("a full PRT lets a load in whose requests fit into the overflow") {
  Prt prt({1, 4});
  const auto let_in = [&](Clk clk, unsigned requests, Clk until) {
    CHECK(prt.next(clk, requests) == clk);
    prt.admit(clk, requests);
    prt.book(until);
  };
  let_in(0, 32, 100);
  let_in(1, 3, 50);
  let_in(2, 1, 60);
  SUBCASE("one request too many waits for the table") {
    CHECK(prt.next(3, 1) == 100);
  }
  SUBCASE("room again when an overflow load is back, not a clock earlier") {
    SUBCASE("blocked at 49") {
      CHECK(prt.next(49, 3) == 100);
    }
    SUBCASE("free at 50") {
      CHECK(prt.next(50, 3) == 50);
    }
  }
}

TEST_CASE("lines leave DRAM one departure apart") {
  Dram dram({300, 2.5});
  CHECK(dram.queue(0, 10) == 0);
  CHECK(dram.queue(0, 10) == 3);  // at 12.5
  CHECK(dram.queue(0, 10) == 5);  // at 15
  CHECK(dram.queue(0, 17) == 1);  // at 17.5
  CHECK(dram.queue(0, 20) == 0);
}

TEST_CASE("a set replaces its least recently used line") {
  Cache cache(small_cache());
  for (std::uint64_t line : {0, 3, 6, 9}) cache.insert(line);  // all of set 0
  CHECK(holds(cache, 0));
  cache.insert(12);
  CHECK_FALSE(holds(cache, 3));
  CHECK(holds(cache, 0));
  CHECK(holds(cache, 12));
  CHECK_FALSE(holds(cache, 1));
}

TEST_CASE("with insertion at the least recent place a full set keeps what was used again") {
  Description::Cache description = small_cache();
  description.policy_settings["insertion"] = {1};
  Cache cache(description);
  for (std::uint64_t line : {0, 3, 6, 9}) cache.insert(line);
  for (std::uint64_t line : {0, 3, 6, 9}) CHECK(holds(cache, line));
  cache.insert(12);
  cache.insert(15);
  CHECK_FALSE(holds(cache, 12));
  CHECK(holds(cache, 15));
  CHECK(holds(cache, 3));
  CHECK(holds(cache, 6));
  CHECK(holds(cache, 9));
}

TEST_CASE("a dirty line that leaves is written back, a dropped one is not") {
  Cache cache(small_cache());
  cache.insert(0).line.set_dirty();
  for (std::uint64_t line : {3, 6, 9}) CHECK_FALSE(cache.insert(line).wrote_back());
  CHECK(cache.insert(12).wrote_back());
  CHECK_FALSE(cache.insert(15).wrote_back());
  cache.insert(1).line.set_dirty();
  cache.drop(1);
  CHECK_FALSE(holds(cache, 1));
  for (std::uint64_t line : {4, 7, 10, 13, 16}) CHECK_FALSE(cache.insert(line).wrote_back());
}

TEST_CASE("an upload leaves the beginning of every buffer in the cache, side by side") {
  Cache cache(small_cache());
  const std::vector<LineRange> one = {{1000, 100}};
  cache.upload(one);
  for (std::uint64_t line = 0; line < 12; ++line) CHECK(holds(cache, 1000 + line));
  for (std::uint64_t line = 12; line < 100; ++line) CHECK_FALSE(holds(cache, 1000 + line));
  cache.invalidate();
  CHECK_FALSE(holds(cache, 1000));
  const std::vector<LineRange> two = {{1002, 100}, {2001, 3}};  // both begin in set 0
  cache.upload(two);
  for (std::uint64_t line = 0; line < 3; ++line) CHECK(holds(cache, 2001 + line));
  for (std::uint64_t line = 0; line < 9; ++line) CHECK(holds(cache, 1002 + line));
  CHECK_FALSE(holds(cache, 1002 + 9));
}

TEST_CASE("a flush as large as the cache empties it, a smaller one takes the oldest") {
  Cache cache(small_cache());
  const std::vector<LineRange> buffer = {{3000, 12}};
  cache.upload(buffer);
  SUBCASE("all of it") {
    cache.flush(12);
    for (std::uint64_t line = 0; line < 12; ++line) CHECK_FALSE(holds(cache, 3000 + line));
  }
  SUBCASE("half of it") {
    cache.flush(6);
    for (std::uint64_t line = 0; line < 6; ++line) CHECK(holds(cache, 3000 + line));
    for (std::uint64_t line = 6; line < 12; ++line) CHECK_FALSE(holds(cache, 3000 + line));
  }
  SUBCASE("a line, into set 0 alone") {
    cache.flush(1);
    unsigned gone = 0;
    for (std::uint64_t line = 0; line < 12; ++line) gone += !holds(cache, 3000 + line);
    CHECK(gone == 1);
    CHECK_FALSE(holds(cache, 3009));
  }
}

TEST_CASE("sets are the remainder of the line number, for any number of sets") {
  for (std::uint64_t sets : {1ull, 2ull, 3ull, 48ull, 768ull, 1000003ull}) {
    Cache cache({sets * 128, 128, 1, 1});
    for (std::uint64_t line : {0ull, 1ull, 767ull, 768ull, (1ull << 33) + 12345, (1ull << 41) - 1})
      CHECK(cache.set_of(line) == line % sets);
  }
}

TEST_CASE("a load of one lane takes the latency of the level that serves it, to the clock") {
  Description device = plain_device();
  device.lsu = {1, 6, 0.5, 0.5};
  device.l1 = Description::Cache{1024, 128, 4, 30};
  MemorySystem system(device);
  MemoryPath path(device, system);
  CHECK(latency(path, one_line(1), 0) == 300);
  CHECK(latency(path, one_line(1), 1000) == 30);
  path.start_launch();  // L1 is empty again, L2 is not
  CHECK(latency(path, one_line(1), 2000) == 100);
  CHECK(path.load(one_line(1), 3000, true).complete == 3100);  // around L1
}

TEST_CASE("issue takes its clocks for each active lane, merged or not") {
  Description device = plain_device();
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(requests_of(strided(128)), 0, false);
  CHECK(latency(path, requests_of(strided(128), 1), 10000) == 100);
  CHECK(latency(path, requests_of(strided(128), 0xffff), 10000) == 115);
  CHECK(latency(path, requests_of(strided(128)), 10000) == 131);
  CHECK(latency(path, requests_of(strided(0)), 10000) == 131);
  CHECK(path.load(requests_of(strided(0)), 0, false).pipeline_free == 32);
}

TEST_CASE("writeback takes its clocks for each lane after the last line is there") {
  Description device = plain_device();
  device.lsu.writeback_per_lane = 2;
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(requests_of(strided(0)), 0, false);
  CHECK(latency(path, requests_of(strided(0), 1), 1000) == 100);
  CHECK(latency(path, requests_of(strided(0)), 1000) == 100 + 31 + 2 * 31);
}

TEST_CASE("the entry after the last MSHR waits for the first line to return") {
  Description device = plain_device();
  device.mshr = Description::Mshr{8, 1};
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(requests_of(strided(128)), 0, false);  // into L2
  path.start_launch();
  const auto complete = [&](unsigned lanes) {
    path.start_launch();
    return path.load(requests_of(strided(128), (1u << lanes) - 1), 10000, false).complete - 10000;
  };
  CHECK(complete(7) == 106);
  CHECK(complete(8) == 107);
  CHECK(complete(9) == 199);  // sent at 100, when the first is back
  CHECK(complete(10) == 200);
}

TEST_CASE("lanes beyond the merges of an MSHR entry take further entries") {
  Description device = plain_device();
  device.mshr = Description::Mshr{4, 8};
  MemorySystem system(device);
  MemoryPath path(device, system);
  const auto complete = [&](const Requests& requests) {
    path.load(requests, 0, false);
    path.start_launch();
    const Clk clk = path.load(requests, 10000, false).complete - 10000;
    path.start_launch();
    return clk;
  };
  CHECK(complete(requests_of(strided(128, 8))) == 131);   // 4 lines of 8 lanes: 4 entries
  CHECK(complete(requests_of(strided(0))) == 131);        // 1 line of 32 lanes: 4 entries
  CHECK(complete(requests_of(strided(128, 16))) == 131);  // 2 lines of 16 lanes: 4 entries
  CHECK(complete(requests_of(strided(128, 4))) > 200);    // 8 lines
}

TEST_CASE("a second load of a pending line joins its MSHR entry") {
  Description device = plain_device();
  device.mshr = Description::Mshr{1, 2};
  MemorySystem system(device);
  MemoryPath path(device, system);
  CHECK(path.load(one_line(5), 0, false).complete == 300);
  CHECK(path.load(one_line(5), 40, false).complete == 300);
  CHECK(path.load(one_line(5), 50, false).complete == 399);  // 2 lanes are all it can merge
}

TEST_CASE("the load after the last PRT entry waits for a whole load to return") {
  Description device = plain_device();
  device.prt = Description::Prt{2, 0};
  MemorySystem system(device);
  MemoryPath path(device, system);
  const auto waits_and_loads = [&] {
    const Clk from = path.load_from(one_line(8192), 1000, false);
    return path.load(one_line(8192), from, false).complete;
  };
  path.load(requests_of(strided(128)), 0, false);
  path.start_launch();
  CHECK(path.load(requests_of(strided(128)), 1000, false).complete == 1131);
  CHECK(path.load(one_line(8192), 1000, false).complete == 1100);
  CHECK(waits_and_loads() == 1200);
  CHECK(waits_and_loads() == 1231);
}

TEST_CASE("a store allocates in L2, and its line goes to DRAM when it must leave") {
  Description device = plain_device();
  device.l2 = {128 * 4, 128, 4, 100};
  device.dram.departure = 10;
  MemorySystem system(device);
  MemoryPath path(device, system);
  CHECK(path.store(one_line(1), 0).complete == 100);
  CHECK(latency(path, one_line(1), 200) == 100);
  for (std::uint64_t line : {2, 3, 4}) path.store(one_line(line), 300);
  CHECK(system.dram().drained() == 0);
  path.store(one_line(5), 400);
  CHECK(system.dram().drained() == 411);
}

TEST_CASE("a dirty line of sectors leaves by the sector") {
  Description device = plain_device();
  device.coalescer_line = 32;
  device.l2 = {128 * 4, 128, 4, 100};
  device.l2->sector = 64;
  device.dram.departure = 10;
  MemorySystem system(device);
  const auto store = [&](std::uint64_t sector, Clk clk) { system.store({0, sector, clk}); };
  store(4 * 1 + 2, 0);  // the other half of line 1
  for (std::uint64_t line : {1, 2, 3, 4}) store(4 * line, 0);
  store(4 * 5, 1000);  // line 1 leaves: two sectors
  CHECK(system.dram().drained() == 1020);
  store(4 * 6, 2000);  // line 2: one
  CHECK(system.dram().drained() == 2010);
}

TEST_CASE("a store takes its line out of L1") {
  Description device = plain_device();
  device.l1 = Description::Cache{1024, 128, 4, 30};
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(one_line(1), 0, false);
  CHECK(latency(path, one_line(1), 1000) == 30);
  path.store(one_line(1), 2000);
  CHECK(latency(path, one_line(1), 3000) == 100);
}

TEST_CASE("atomics on one line are done a lane a clock") {
  Description device = plain_device();
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(one_line(8192), 0, false);
  CHECK(path.atomic(one_line(8192), 1000).complete == 1100);
  CHECK(path.atomic(requests_of(strided(0)), 1000).complete == 1000 + 131 + 31);
}

TEST_CASE("each line that a load asks L1 for takes its pipeline a lookup") {
  Description device = plain_device();
  device.lsu = {1, 1, 0, 0};
  device.l1 = Description::Cache{64 * 1024, 128, 4, 30};
  device.l1->lookup = 0.25;
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(requests_of(strided(128)), 0, false);
  struct Row {
    unsigned lanes_of_line;
    Clk pipeline, complete;
  };
  Clk clk = 1000;
  for (const Row& row :
       {Row{32, 1, 30}, Row{8, 1, 30}, Row{4, 2, 31}, Row{2, 4, 33}, Row{1, 8, 37}}) {
    CAPTURE(row.lanes_of_line);
    const Done done = path.load(requests_of(strided(128, row.lanes_of_line)), clk, false);
    CHECK(done.pipeline_free - clk == row.pipeline);
    CHECK(done.complete - clk == row.complete);
    clk += 1000;
  }
  CHECK(path.load(requests_of(strided(128)), clk, true).pipeline_free - clk == 1);
  // Lanes that come back to a line ask for it once.
  exec::Lanes turns = strided(128);
  for (unsigned i = 0; i < exec::kWarpSize; ++i) turns[i] = (1 << 20) + i % 4 * 128 + i;
  CHECK(path.load(requests_of(turns), clk + 1000, false).pipeline_free - clk == 1001);
}

TEST_CASE("atomics on one address wait for each other, in the SM by lane and in L2 by all SMs") {
  Description device = plain_device();
  device.lsu = {1, 1, 0, 0};
  device.sm.count = 2;
  device.atomics = {2, 3, 5};
  MemorySystem system(device);
  MemoryPath first(device, system, 0), second(device, system, 1);
  const auto atomic = [](MemoryPath& path, const exec::Lanes& lanes, Clk clk) {
    Requests requests = requests_of(lanes);
    Coalescer(128).count_same(kAll, lanes, requests);
    return path.atomic(requests, clk).complete - clk;
  };
  first.load(requests_of(strided(128)), 0, false);
  // 32 lanes of one address: 31 more in L2, then whoever comes next.
  CHECK(atomic(first, strided(0), 10000) == 100 + 31 * 5);
  CHECK(atomic(second, strided(0), 10000) == 100 + 32 * 5 + 31 * 5);
  CHECK(atomic(first, strided(4), 20000) == 100);  // a line, no address twice
  // What the SM hands on: 2 + 31 x 3 clocks for those of one address, 2 for each other request.
  CHECK(atomic(first, strided(0, 1, 1 << 20), 30000) == 255);
  CHECK(atomic(first, strided(4, 1, (1 << 20) + 128), 30000) == 100 + 2 + 31 * 3);
  CHECK(atomic(first, strided(128), 40000) == 100 + 31 * 2);
  // Without the section lanes are done a clock each, and nothing else waits.
  device.atomics.reset();
  MemorySystem plain(device);
  MemoryPath path(device, plain, 0);
  path.load(requests_of(strided(128)), 0, false);
  CHECK(atomic(path, strided(128), 40000) == 100);
}

TEST_CASE("accesses wait for a free pipeline, the oldest warp first") {
  Description device = plain_device();
  device.lsu.pipelines = 2;
  MemorySystem system(device);
  MemoryPath path(device, system);
  NearMemory near(device, system, 0);
  LoadStoreUnit unit(device.lsu, path, near, 0);
  unit.start_launch();
  Clk token = 0;
  const auto enqueue = [&](std::uint32_t slot) {
    MemoryAccess& access = unit.make();
    access.slot = slot;
    access.token = token++;
    access.requests = requests_of(strided(0));
    unit.enqueue();
  };
  Clk complete = 0;
  enqueue(5);
  enqueue(6);
  CHECK(unit.next_start(10) == 10);
  CHECK(unit.start(10, complete)->slot == 5);
  CHECK(unit.start(10, complete)->slot == 6);
  enqueue(9);
  enqueue(4);
  enqueue(4);
  CHECK(unit.next_start(11) == 42);
  CHECK(unit.next_start(41) == 42);
  CHECK(unit.start(42, complete)->token == 3);
  CHECK(unit.start(42, complete)->token == 4);
  CHECK_FALSE(unit.idle());
  CHECK(unit.next_start(42) == 74);
  CHECK(unit.start(74, complete)->slot == 9);
  CHECK(unit.idle());
}

TEST_CASE("a scheduler issues once a clock, a unit once an interval, fractions carried over") {
  IssueSlots slots(2, 2);
  CHECK(slots.reserve(0, 0, 0, 10) == 10);
  CHECK(slots.reserve(2, 0, 0, 10) == 11);  // the same scheduler
  CHECK(slots.reserve(1, 0, 0, 10) == 10);  // the other one
  slots.clear();
  std::vector<Clk> issued;
  for (unsigned warp = 0; warp < 6; ++warp) issued.push_back(slots.reserve(warp, 1, 1.5, 100));
  CHECK(issued == std::vector<Clk>{100, 101, 103, 104, 106, 107});
}

TEST_CASE("a warp has its own part of a unit that is divided, and all of one that is not") {
  IssueSlots slots(4, 2, 0, 0, 1, 4);
  const auto issued = [&](const std::vector<unsigned>& warps, bool divided) {
    slots.clear();
    std::vector<Clk> at;
    for (const unsigned warp : warps)
      at.push_back(slots.reserve(warp, 1, 0.5, 100, true, false, divided));
    return at;
  };
  CHECK(issued({0, 0, 0, 0}, true) == std::vector<Clk>{100, 102, 104, 106});
  CHECK(issued({0, 0, 0, 0}, false) == std::vector<Clk>{100, 101, 102, 103});
  CHECK(issued({0, 1, 2, 3, 4}, true) == std::vector<Clk>{100, 100, 100, 100, 102});
  CHECK(issued({0, 1, 2, 3, 4}, false) == std::vector<Clk>{100, 100, 101, 101, 102});
}

TEST_CASE("bulk stores are waited for by their groups") {
  BulkGroups stores;
  stores.issue(3);
  stores.issue(4);
  stores.commit();
  stores.issue(7);
  stores.commit();
  CHECK(stores.before(0).last == 7);
  CHECK(stores.before(1).last == 4);
  CHECK(stores.before(2).last == 0);
  stores.sent(3, 100);
  stores.sent(4, 150);
  stores.sent(7, 400);
  CHECK(stores.before(0).there == 400);
  CHECK(stores.before(1).there == 150);
  CHECK(stores.there(4) == 150);
}

TEST_CASE("a register is ready at its clock, one that waits for a load at none") {
  Scoreboard board(2, 0);
  board.start_launch(4);
  board.start_warp(0);
  board.start_warp(1);
  const std::uint16_t numbers[] = {0, 1, 2};
  const Scoreboard::Registers all{numbers, numbers + 3}, reads{numbers, numbers + 2};
  const Scoreboard::Registers loaded{numbers + 1, numbers + 2}, sum{numbers + 2, numbers + 3};
  CHECK(board.latest(1, all) == 0);
  const Clk token = board.new_token();
  board.write(1, loaded, token);
  CHECK(board.latest(1, all) >= Scoreboard::kToken);
  CHECK(board.latest(0, all) == 0);
  SUBCASE("alone") {}
  SUBCASE("with one that it was handed on to") {
    board.copy(1, {numbers, numbers + 1}, token);
  }
  board.resolve(1, token, 77, loaded);
  CHECK(board.latest(1, all) == 77);
  board.write(1, sum, 90);
  CHECK(board.latest(1, reads) == 77);
  CHECK(board.latest(1, all) == 90);  // and must not be overwritten before
}

TEST_CASE("a scoreboard of machine code is as late as the latest of its places") {
  const exec::sass::Board boards[] = {{0, 3}, {3, 2}};
  Scoreboard board(2, 0);
  board.start_launch(5, boards);
  board.start_warp(1);
  const std::uint16_t places[] = {0, 1, 2, 3, 4};
  const auto place = [&](unsigned k) {
    return Scoreboard::Registers{places + k, places + k + 1, 0};
  };
  const auto write = [&](unsigned k, Clk at) { board.write(1, place(k), at); };
  CHECK(board.latest_of(1, 3) == 0);
  write(0, 30), write(1, 20), write(4, 50);
  CHECK(board.latest_of(1, 1) == 30);
  CHECK(board.latest_of(1, 2) == 50);
  CHECK(board.latest_of(1, 3) == 50);
  write(0, 10);  // the latest comes earlier: another one is
  CHECK(board.latest_of(1, 1) == 20);
  const Clk one = board.new_token(), two = board.new_token();
  write(1, one), write(2, two);
  board.resolve(1, two, 90, place(2));
  CHECK(board.latest_of(1, 1) == one);
  board.resolve(1, one, 70, place(1));
  CHECK(board.latest_of(1, 1) == 90);
  // A place alone, and one of which it is known that it is not that late.
  CHECK(board.latest_behind(1, place(1), 5) == 70);
  CHECK(board.latest_behind(1, place(1), 80) == 80);
  // An instruction that hands on what it reads.
  const Clk three = board.new_token();
  write(3, three);
  board.copy(1, place(4), three);
  board.resolve(1, three, 60, place(3));
  CHECK(board.latest_of(1, 2) == 60);
  board.start_warp(1);
  CHECK(board.latest_of(1, 3) == 0);
}

TEST_CASE("the next load waits until the oldest of the last few has returned") {
  Scoreboard board(1, 2);
  board.start_launch(4);
  board.start_warp(0);
  CHECK(board.load_slot(0) == 0);
  board.issue_load(0, 50);
  CHECK(board.load_slot(0) == 0);
  const Clk token = board.new_token();
  board.issue_load(0, token);
  CHECK(board.load_slot(0) == 50);
  board.issue_load(0, 60);
  CHECK(board.load_slot(0) == token);
  board.resolve(0, token, 70, {});
  CHECK(board.load_slot(0) == 70);
}

TEST_CASE("a barrier lets go when the last live participant arrives") {
  Barriers barriers;
  std::vector<unsigned> released;
  unsigned waited = 0;
  Clk over = 0;
  const auto release = [&](unsigned live) {
    barriers.release_complete(live, [&](unsigned slot, unsigned id, unsigned count, Clk clk) {
      CHECK(id == 0);
      waited = count;
      over = clk;
      released.push_back(slot);
    });
  };
  barriers.arrive(0, 0, 1, 7, true, 50);
  barriers.arrive(0, 0, 1, 8, true, 30);
  release(3);
  CHECK(released.empty());
  SUBCASE("the third arrives") {
    barriers.arrive(0, 0, 1, 9, true, 40);
    release(3);
    CHECK(released == std::vector<unsigned>{7, 8, 9});
    CHECK(waited == 3);
    CHECK(over == 50);
    released.clear();
    release(3);
    CHECK(released.empty());
  }
  SUBCASE("the third exits") {
    release(2);
    CHECK(released == std::vector<unsigned>{7, 8});
    CHECK(waited == 2);
  }
}

TEST_CASE("a barrier for some participants; one that only arrives does not wait") {
  Barriers barriers;
  std::vector<unsigned> released;
  const auto release = [&] {
    barriers.release_complete(8, [&](unsigned slot, auto...) { released.push_back(slot); });
  };
  barriers.arrive(3, 2, 1, 1, false, 0);
  release();
  CHECK(released.empty());
  barriers.arrive(3, 2, 1, 2, true, 0);
  release();
  CHECK(released == std::vector<unsigned>{2});
}

TEST_CASE("threads of two groups of one warp make a barrier of threads complete") {
  Barriers barriers;
  std::vector<unsigned> released;
  const auto release = [&] {
    barriers.release_complete(32, [&](unsigned slot, auto...) { released.push_back(slot); });
  };
  barriers.arrive(0, 0, 16, 5, true, 0);
  release();
  CHECK(released.empty());
  barriers.arrive(0, 0, 16, 5, true, 0);
  release();
  CHECK(released == std::vector<unsigned>{5, 5});
}

namespace {

/// A scheduler of machine code whose warps' units are free at once.
struct Turns {
  static constexpr unsigned kWarps = 4;
  WarpSchedulers schedulers{1, kWarps};
  std::array<Clk, kWarps> units{};

  Turns() {
    schedulers.clear();
    for (std::uint32_t slot = 0; slot < kWarps; ++slot) schedulers.start_warp(slot);
  }
  bool ask(std::uint32_t slot, Clk clk) { return schedulers.ask(slot, clk, units[slot]); }
  /// The clock of its turn, if it goes on with what can issue at `next`.
  Clk issue(std::uint32_t slot, Clk clk, Clk next, bool yields = false, Banks collect = {}) {
    schedulers.take(slot, clk, collect);
    return schedulers.goes_on(slot, next, yields);
  }
  std::optional<Clk> decides(Clk clk) { return schedulers.decides(0, clk, unit_of()); }
  std::optional<std::uint32_t> choose(Clk clk) {
    const auto slot = schedulers.chosen(0, clk, unit_of());
    schedulers.choose(0, clk, slot);
    return slot;
  }
  std::function<Clk(std::uint32_t)> unit_of() {
    return [this](std::uint32_t slot) { return units[slot]; };
  }
};

}  // namespace

TEST_CASE("a warp goes on while nothing keeps it, then the first in the order has the turn") {
  Turns turns;
  CHECK(turns.ask(3, 0));
  CHECK(turns.issue(3, 0, 1) == 1);
  CHECK_FALSE(turns.ask(2, 0));
  CHECK_FALSE(turns.ask(0, 1));
  CHECK_FALSE(turns.decides(1));  // the one that goes on comes first
  CHECK(turns.ask(3, 1));
  CHECK(turns.issue(3, 1, 7) == kNever);
  CHECK(turns.decides(1) == 2);
  CHECK_FALSE(turns.decides(1));  // it has that event
  CHECK(turns.choose(2) == 0);
  CHECK(turns.issue(0, 2, 9) == kNever);
  CHECK(turns.decides(2) == 3);
  CHECK(turns.choose(3) == 2);
  CHECK(turns.issue(2, 3, 9) == kNever);
  CHECK_FALSE(turns.decides(3));  // nobody waits
  CHECK(turns.ask(3, 7));
}

TEST_CASE("a warp whose instruction yields goes to the end of the order") {
  Turns turns;
  CHECK(turns.ask(0, 0));
  CHECK(turns.issue(0, 0, 1, true) == kNever);
  CHECK(turns.ask(0, 1));
  CHECK(turns.issue(0, 1, 2, true) == kNever);
  for (const std::uint32_t slot : {2, 1}) CHECK_FALSE(turns.ask(slot, 1));
  CHECK(turns.decides(1) == 2);
  CHECK_FALSE(turns.ask(0, 2));
  for (const std::uint32_t slot : {1, 2, 0}) {
    const Clk clk = slot == 0 ? 4 : 1 + static_cast<Clk>(slot);
    CHECK(turns.choose(clk) == slot);
    CHECK(turns.issue(slot, clk, 20) == kNever);
    CHECK(turns.decides(clk) == (slot == 0 ? std::nullopt : std::optional<Clk>(clk + 1)));
  }
}

TEST_CASE("what waits for its unit leaves its scheduler to the other warps") {
  Turns turns;
  turns.units = {0, 8, 0, 6};
  CHECK_FALSE(turns.ask(1, 0));
  CHECK(turns.decides(0) == 8);
  CHECK_FALSE(turns.ask(3, 0));
  CHECK(turns.decides(0) == 6);
  for (Clk clk = 0; clk < 6; ++clk) {
    CHECK(turns.ask(2, clk));
    CHECK(turns.issue(2, clk, clk + 2) == kNever);
    CHECK_FALSE(turns.decides(clk));
  }
  CHECK(turns.choose(6) == 3);
  CHECK(turns.issue(3, 6, 20) == kNever);
  CHECK(turns.decides(6) == 8);
  CHECK_FALSE(turns.choose(7));  // not its event
  CHECK(turns.choose(8) == 1);
}

TEST_CASE("a warp that could go on and does not leaves its turn to others") {
  Turns turns;
  CHECK(turns.ask(0, 0));
  CHECK(turns.issue(0, 0, 1) == 1);
  CHECK_FALSE(turns.schedulers.leaves(1));
  CHECK_FALSE(turns.schedulers.leaves(0));  // nobody waits
  CHECK(turns.ask(0, 3));
  CHECK(turns.issue(0, 3, 4) == 4);
  CHECK_FALSE(turns.ask(1, 3));
  CHECK(turns.schedulers.leaves(0));
  CHECK(turns.decides(4) == 4);
  CHECK(turns.choose(4) == 1);
}

TEST_CASE(
    "banks of registers: an instruction issues while those of the one before are handed over") {
  const auto issued = [](std::initializer_list<Banks> collects) {
    Turns turns;
    std::vector<Clk> at{0};
    for (const Banks& each : collects)
      at.push_back(turns.issue(0, at.back(), at.back() + 1, false, each));
    at.pop_back();
    return at;
  };
  // Two operands of one bank cost nothing where the next ones come from the other.
  CHECK(issued({{2, 0}, {0, 1}, {0, 1}, {1, 0}}) == std::vector<Clk>{0, 1, 2, 3});
  // One after another they cost a clock each, from the second on.
  CHECK(issued({{2, 0}, {2, 0}, {2, 0}, {2, 0}}) == std::vector<Clk>{0, 1, 2, 4});
  CHECK(issued({{3, 0}, {0, 0}, {0, 0}}) == std::vector<Clk>{0, 1, 3});
}

TEST_CASE(
    "an instruction that was ready ahead of its turn follows at once, a later one after a gap") {
  IssueSlots slots(1, 2, 8, 1);
  CHECK(slots.reserve(0, 0, 4, 0) == 0);
  slots.clear();
  CHECK(slots.reserve(0, 0, 4, 100) == 100);  // idle: no gap
  CHECK(slots.reserve(1, 0, 4, 100) == 105);  // waits 4 clocks: not chosen in time
  CHECK(slots.reserve(2, 0, 4, 101) == 109);  // waits 8: chosen in time
  CHECK(slots.reserve(3, 0, 4, 106) == 114);  // waits 7
  CHECK(slots.reserve(4, 0, 4, 119) == 119);  // the unit has been idle for the gap
  CHECK(slots.reserve(5, 0, 4, 123) == 124);  // it has not
  CHECK(slots.reserve(6, 1, 1, 200) == 200);
  CHECK(slots.reserve(7, 1, 1, 200, false) == 201);  // an access
}

TEST_CASE("a block starts later in a place that another one has left") {
  BlockScheduler blocks({4, 1, 1}, 2.5);
  CHECK(blocks.take(100).clk == 100);
  blocks.refill_in(300);
  CHECK(blocks.take(500).clk == 800);
  CHECK(blocks.take(501).clk == 802);  // the interval counts from start to start
  CHECK(blocks.take(900).clk == 1200);
}

TEST_CASE("blocks start in order, an interval apart, and not before there is room") {
  BlockScheduler blocks({2, 3, 1}, 2.5);
  CHECK(blocks.count() == 6);
  CHECK(blocks.take(100).clk == 100);
  CHECK(blocks.take(100).clk == 102);
  const BlockScheduler::Start third = blocks.take(100);
  CHECK(third.clk == 105);
  CHECK(third.index == std::array<std::uint32_t, 3>{0, 1, 0});
  CHECK(blocks.take(107).clk == 107);
  CHECK(blocks.take(300).clk == 300);
  CHECK_FALSE(blocks.empty(0));
  CHECK(blocks.take(300).index == std::array<std::uint32_t, 3>{1, 2, 0});
  CHECK(blocks.empty(0));
}

TEST_CASE("a part of the SMs gets its share of a grid's clusters, from all over it") {
  exec::Grid grid;
  grid.blocks = {80, 1, 1};
  grid.cluster = {4, 1, 1};
  BlockScheduler blocks(grid, 1);
  blocks.clusters_of_part(1, 4);
  std::vector<std::uint64_t> numbers;
  while (!blocks.empty(0)) numbers.push_back(blocks.take(0).number);
  CHECK(numbers == std::vector<std::uint64_t>{0,  1,  2,  3,  16, 17, 18, 19, 32, 33,
                                              34, 35, 48, 49, 50, 51, 64, 65, 66, 67});
  CHECK(blocks.taken() == 20);
  CHECK(blocks.take(0).clk == 80);  // as far apart as on all SMs
}

TEST_CASE("events come by clock, then SM, then warp slot, the load/store unit last") {
  for (const unsigned group : {1u, 2u}) {
    EventQueue queue(3, group);
    queue.push({7, 0, 0});
    queue.push({5, 1, 3});
    queue.push({5, 0, Event::kLoadStore});
    queue.push({5, 0, 9});
    queue.push({6, 2, 1});
    std::vector<std::pair<Clk, std::uint32_t>> order;
    while (queue.take_turn()) {
      CHECK(queue.is_first());
      order.push_back({queue.top().clk, queue.top().slot});
      queue.pop();
    }
    CHECK(queue.empty());
    CHECK(order == std::vector<std::pair<Clk, std::uint32_t>>{
                       {5, 9}, {5, Event::kLoadStore}, {5, 3}, {6, 1}, {7, 0}});
  }
}

TEST_CASE("the SMs that have the turn go on with their own events, and know those of others") {
  EventQueue queue(4, 2);
  queue.push({5, 0, 1});
  queue.push({8, 1, 2});
  queue.push({6, 3, 4});
  REQUIRE(queue.take_turn());
  CHECK(queue.is_next({5, 0, 1}));
  CHECK(queue.is_next_here({7, 0, 1}));
  CHECK_FALSE(queue.is_next({7, 0, 1}));
  CHECK_FALSE(queue.is_next_here({9, 0, 1}));
  queue.replace_top({7, 0, 1});
  CHECK_FALSE(queue.is_first());
  CHECK(queue.others() == 6);
  CHECK(queue.top().clk == 7);  // until another group takes the turn
  REQUIRE(queue.take_turn());
  CHECK(queue.top().clk == 6);
  queue.push({6, 0, 0});  // of a group that does not have it
  CHECK(queue.others() == 6);
  CHECK_FALSE(queue.is_first());
}

TEST_CASE(
    "noise stays within its jitter, is the same for the same seed, and rarely is an outlier") {
  Noise noise({4, 0.01, 100});
  noise.seed(1, 2);
  std::vector<Clk> first;
  unsigned outliers = 0;
  std::set<Clk> small;
  for (int i = 0; i < 10000; ++i) {
    first.push_back(noise.next());
    outliers += first.back() >= 100;
    small.insert(first.back() % 100);
  }
  CHECK(small == std::set<Clk>{0, 1, 2, 3, 4});
  CHECK(outliers > 50);
  CHECK(outliers < 200);
  noise.seed(1, 2);
  for (Clk clk : first) REQUIRE(noise.next() == clk);
  noise.seed(1, 3);
  unsigned same = 0;
  for (Clk clk : first) same += noise.next() == clk;
  CHECK(same < 5000);
  Noise silent({0, 0, 0});
  silent.seed(1, 2);
  CHECK(silent.next() == 0);
}

TEST_CASE("a load that waits for an entry of the PRT keeps no other from DRAM") {
  Description device = plain_device();
  device.sm.count = 2;
  device.lsu = {2, 0, 1, 0};
  device.prt = Description::Prt{1, 0};
  device.dram = {300, 10};
  MemorySystem system(device);
  MemoryPath path(device, system), other(device, system, 1);
  NearMemory near(device, system, 0);
  LoadStoreUnit unit(device.lsu, path, near, 0);
  unit.start_launch();
  for (std::uint64_t line : {1, 2}) {
    MemoryAccess& access = unit.make();
    access = {};
    access.requests = one_line(line);
    unit.enqueue();
  }
  Clk complete = 0;
  REQUIRE(unit.start(0, complete));
  CHECK(complete == 300);
  CHECK(unit.start(0, complete) == nullptr);  // it keeps its pipeline
  CHECK(unit.next_start(1) == 300);
  CHECK(latency(other, one_line(3), 20) == 300);
  REQUIRE(unit.start(300, complete));
  CHECK(complete == 600);
  CHECK(unit.idle());
}
