// The parts of the memory hierarchies, each alone: who shares a level, what a port lets through,
// when a translation waits, what conflicts cost, when code is there.
#include <doctest/doctest.h>

#include <numeric>

#include "runtime/device/vgpu/memory/near_memory.h"
#include "runtime/device/vgpu/timing/instruction_fetch.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;
namespace ptx = gpx::ptx;

namespace {

using Scope = Description::Scope;

Description::Cache level(std::uint64_t capacity, std::uint64_t line, double latency, Scope scope) {
  Description::Cache cache;
  cache.capacity = capacity;
  cache.line = line;
  cache.ways = static_cast<std::uint32_t>(capacity / line);  // fully associative
  cache.latency = latency;
  cache.scope = scope;
  return cache;
}

/// 6 SMs in 3 TPCs; 300 clocks to DRAM, which has no queue; no L2.
Description plain_device() {
  Description device;
  device.clock_hz = 1e9;
  device.sm.count = 6;
  device.sm.per_tpc = 2;
  device.sm.warp_slots = 4;
  device.coalescer_line = 128;
  device.lsu = {1, 0, 1, 0};
  device.dram = {300, 0};
  device.shared.latency = 50;
  device.constant.latency = 500;
  return device;
}

/// Constants in 10, 100 and 200 clocks: of an SM, a TPC, the GPU.
Description with_constants() {
  Description device = plain_device();
  device.constant.level = {level(256, 64, 10, Scope::sm), level(1024, 256, 100, Scope::tpc),
                           level(4096, 256, 200, Scope::gpu)};
  return device;
}

exec::Effect effect_of(ptx::Space space, exec::Mask active, const exec::Lanes& addresses,
                       std::uint8_t bytes = 4) {
  exec::Effect effect;
  effect.space = space;
  effect.active = active;
  effect.addresses = &addresses;
  effect.bytes = bytes;
  return effect;
}

Clk latency_of(const SharedBanks& banks, const exec::Lanes& addresses) {
  return whole(banks.latency() + banks.passes_of(0xffffffff, &addresses, 4, false).later);
}

exec::Lanes strided(std::uint64_t bytes, std::uint64_t base = 0) {
  exec::Lanes lanes;
  for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = base + i * bytes;
  return lanes;
}

Requests one_line(std::uint64_t line) {
  Requests requests;
  Coalescer(128).coalesce(1, strided(0, line * 128), requests);
  return requests;
}

/// Clocks of a constant access of one lane.
Clk constant(NearMemory& memory, std::uint64_t address, Clk clk) {
  const exec::Lanes lanes = strided(0, address);
  return memory.access(effect_of(ptx::Space::constant, 1, lanes), clk) - clk;
}

/// The same of lanes that are so many bytes apart, of so many bytes each.
Clk constants(NearMemory& memory, std::uint64_t apart, std::uint8_t bytes, Clk clk) {
  const exec::Lanes lanes = strided(apart);
  return memory.access(effect_of(ptx::Space::constant, 0xffffffff, lanes, bytes), clk) - clk;
}

Clk uniform(NearMemory& memory, std::uint64_t address, Clk clk) {
  const exec::Lanes lanes = strided(0, address);
  return memory.uniform(effect_of(ptx::Space::constant, 1, lanes), clk).value_or(0) - clk;
}

}  // namespace

TEST_CASE("each address of a constant takes a turn, of a word that lanes share as well") {
  Description device = plain_device();
  device.constant.level[0] = level(2048, 64, 10, Scope::sm);
  device.constant.clocks_per_address = 11;
  device.constant.pass = 2;
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  for (const std::uint64_t apart : {0, 1, 4, 8, 16}) constants(memory, apart, 4, 0);
  // A chain waits for 31 further addresses; the SM is free for others long before.
  CHECK(constants(memory, 0, 4, 10000) == 10);
  CHECK(constants(memory, 4, 4, 20000) == 10 + 31 * 11);
  CHECK(constants(memory, 1, 1, 30000) == 10 + 31 * 11);
  CHECK(constants(memory, 0, 4, 30000) == 32 * 2 + 10);
  // However wide: a lane's words come together.
  constants(memory, 8, 8, 40000);
  CHECK(constants(memory, 0, 4, 40000) == 32 * 2 + 10);
  constants(memory, 16, 16, 50000);
  CHECK(constants(memory, 0, 4, 50000) == 32 * 2 + 10);
}

TEST_CASE("uniform loads have a few lines at hand, and wait for others behind the first level") {
  Description device = plain_device();
  device.constant.level = {level(2048, 64, 10, Scope::sm), level(4096, 256, 100, Scope::gpu)};
  MemorySystem plain(device);
  CHECK(!NearMemory(device, plain, 0).uniform(effect_of(ptx::Space::constant, 1, strided(0)), 0));
  device.constant.uniform = 128;
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  CHECK(uniform(memory, 0, 0) == 500 - 10);
  CHECK(uniform(memory, 64, 1000) == 100 - 10);
  CHECK(uniform(memory, 60, 2000) == 0);
  CHECK(uniform(memory, 64, 2000) == 0);
  CHECK(uniform(memory, 128, 3000) == 100 - 10);  // in the place of line 0
  CHECK(uniform(memory, 64, 4000) == 0);
  CHECK(uniform(memory, 0, 5000) == 100 - 10);
  // Other loads have their first level as before.
  CHECK(constant(memory, 0, 6000) == 100);
  CHECK(constant(memory, 0, 7000) == 10);
}

TEST_CASE("a port that SMs share has less for those that are simulated in place of all") {
  Description device = plain_device();
  device.l2 = {1 << 20, 128, 4, 300};
  device.constant.level = {level(2048, 64, 10, Scope::sm), level(1 << 16, 64, 100, Scope::gpu)};
  device.constant.level[1]->bandwidth = 6.4;
  const auto misses = [&](std::vector<unsigned> simulated) {
    MemorySystem system(device);
    NearMemory memory(device, system, 0);
    system.share_constants(simulated, std::vector<unsigned>{0, 1, 2, 3, 4, 5});
    for (std::uint64_t line = 0; line < 64; ++line) constant(memory, line * 64, 0);
    Clk last = 0;
    for (std::uint64_t line = 0; line < 20; ++line)
      last = std::max(last, constant(memory, line * 64, 100000));
    return last;
  };
  CHECK(misses({0, 1, 2, 3, 4, 5}) == 19 * 10 + 100);
  CHECK(misses({0}) == 19 * 60 + 100);
}

TEST_CASE("a level is one for each SM, one for each TPC, or one") {
  const Description device = with_constants();
  MemorySystem system(device);
  std::vector<NearMemory> sms;
  for (unsigned sm = 0; sm < 6; ++sm) sms.emplace_back(device, system, sm);
  CHECK(constant(sms[0], 64, 0) == 500);
  CHECK(constant(sms[0], 64, 1000) == 10);
  CHECK(constant(sms[1], 64, 2000) == 100);  // of the same TPC
  CHECK(constant(sms[1], 64, 3000) == 10);
  CHECK(constant(sms[2], 64, 4000) == 200);  // of another
  CHECK(constant(sms[3], 64, 5000) == 100);
  // The first level's lines are of 64 B, the others' of 256 B.
  CHECK(constant(sms[0], 128, 6000) == 100);
  CHECK(constant(sms[0], 192 + 60, 7000) == 100);
  CHECK(constant(sms[0], 256, 8000) == 500);
}

TEST_CASE("a line that is on its way is there when it arrives, not before") {
  const Description device = with_constants();
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  CHECK(constant(memory, 64, 0) == 500);
  CHECK(constant(memory, 64, 489) == 11);
  CHECK(constant(memory, 64, 490) == 10);
}

TEST_CASE("a constant goes to all lanes that want it; another word follows") {
  Description device = with_constants();
  device.constant.clocks_per_address = 3;
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  constant(memory, 0, 0);
  constant(memory, 64, 0);
  const auto clocks = [&](const exec::Lanes& lanes, exec::Mask active) {
    return memory.access(effect_of(ptx::Space::constant, active, lanes), 1000) - 1000;
  };
  CHECK(clocks(strided(0), 0xffffffff) == 10);
  CHECK(clocks(strided(4), 1) == 10);
  CHECK(clocks(strided(4), 3) == 13);
  CHECK(clocks(strided(4), 0xffffffff) == 10 + 31 * 3);
  CHECK(clocks(strided(2), 0xffffffff) == 10 + 15 * 3);
}

TEST_CASE("words of constants keep the SM's other accesses waiting, where the device says so") {
  Description device = with_constants();
  device.constant.pass = 2.5;
  MemorySystem system(device);
  NearMemory memory(device, system, 0), other(device, system, 1);
  constant(memory, 0, 0);
  const auto clocks = [](NearMemory& sm, const exec::Lanes& lanes, Clk at) {
    return sm.access(effect_of(ptx::Space::constant, 0xffffffff, lanes), at) - at;
  };
  exec::Lanes eight{};
  for (unsigned i = 0; i < 32; ++i) eight[i] = i % 8 * 4;
  CHECK(clocks(memory, eight, 1000) == 10 + 18);       // the eighth 17.5 clocks later
  CHECK(clocks(memory, strided(0), 1000) == 10 + 20);  // behind all eight
  CHECK(clocks(memory, strided(0), 1000) == 10 + 23);
  CHECK(clocks(other, strided(0), 2000) == 100);  // another SM's first level
  CHECK(clocks(other, strided(0), 3000) == 10);
  CHECK(clocks(memory, eight, 4000) == 10 + 18);
  memory.start_launch();
  CHECK(clocks(memory, strided(0), 4001) == 10);
}

TEST_CASE("a level hands over so many bytes a clock, and to one SM fewer") {
  Description device = with_constants();
  device.constant.level[2]->bandwidth = 8;         // 32 clocks for the 256 B of a level 2 line
  device.constant.level[2]->bandwidth_per_sm = 2;  // 128 clocks
  MemorySystem system(device);
  std::vector<NearMemory> sms;
  for (unsigned sm = 0; sm < 6; ++sm) sms.emplace_back(device, system, sm);
  for (std::uint64_t line = 0; line < 16; ++line) constant(sms[0], line * 256, 0);  // into level 3
  // SMs of different TPCs ask at the same clock for lines that only level 3 has.
  CHECK(constant(sms[2], 0, 10000) == 200);
  CHECK(constant(sms[4], 256, 10000) == 232);
  // The second request of an SM waits for its own first, not for the other's.
  CHECK(constant(sms[2], 512, 10000) == 328);
  CHECK(constant(sms[2], 768, 10000 + 1000) == 200);
}

TEST_CASE("what leaves the TPC takes the offset of its place, what stays does not") {
  Description device = with_constants();
  device.interconnect_offsets = {0, -4, 7};
  MemorySystem system(device);
  std::vector<NearMemory> sms;
  for (unsigned sm = 0; sm < 6; ++sm) sms.emplace_back(device, system, sm);
  CHECK(constant(sms[0], 0, 0) == 500);
  CHECK(constant(sms[2], 0, 1000) == 196);
  CHECK(constant(sms[4], 0, 2000) == 207);
  CHECK(constant(sms[5], 0, 3000) == 100);
  CHECK(constant(sms[4], 2048, 4000) == 507);
  for (const auto& [sm, clocks] : {std::pair{1u, 300}, {2u, 296}, {5u, 307}}) {
    MemoryPath path(device, system, sm);
    CHECK(path.load(one_line(77), 5000, false).complete == 5000 + clocks);
  }
}

TEST_CASE("a translation that is missed costs by how far it was and by what serves the data") {
  Description device = plain_device();
  device.l2 = level(64 * 128, 128, 100, Scope::gpu);
  device.translation.tlb = {level(2 * 4096, 4096, 0, Scope::sm),
                            level(4 * 4096, 4096, 0, Scope::gpu)};
  device.translation.tlb[0]->miss = 7;
  device.translation.tlb[1]->miss = 50;
  device.translation.tlb[1]->miss_dram = 90;
  MemorySystem system(device);
  MemoryPath path(device, system, 0), other(device, system, 1);
  const auto clocks = [&](std::uint64_t page, Clk clk) {
    return path.load(one_line(page * 32), clk, false).complete - clk;
  };
  CHECK(clocks(1, 0) == 390);
  CHECK(clocks(1, 1000) == 100);
  CHECK(path.load(one_line(1 * 32 + 1), 1500, false).complete == 1800);  // the page is known
  CHECK(clocks(2, 2000) == 390);
  CHECK(clocks(3, 3000) == 390);
  CHECK(clocks(1, 4000) == 107);  // 2 entries hold 2 and 3
  CHECK(clocks(4, 5000) == 390);
  CHECK(clocks(5, 6000) == 390);
  CHECK(clocks(2, 7000) == 150);  // 4 entries hold 5, 4, 3, 1: 2 went first
  CHECK(other.load(one_line(2 * 32), 8000, false).complete == 8107);  // shared, but not level 1
}

TEST_CASE("a third level of translation is asked last, a GPC shares what its TPCs lack") {
  Description device = plain_device();  // 3 TPCs of 2 SMs
  device.sm.per_gpc = 2;
  device.l2 = level(64 * 128, 128, 100, Scope::gpu);
  device.translation.tlb = {level(4096, 4096, 0, Scope::sm), level(4096, 4096, 0, Scope::gpc),
                            level(8 * 4096, 4096, 0, Scope::gpu)};
  device.translation.tlb[0]->miss = 7;
  device.translation.tlb[1]->miss = 20;
  device.translation.tlb[2]->miss = 50;
  MemorySystem system(device);
  std::vector<MemoryPath> sms;
  sms.reserve(6);
  for (unsigned sm = 0; sm < 6; ++sm) sms.emplace_back(device, system, sm);
  const auto clocks = [&](unsigned sm, Clk clk) {
    return sms[sm].load(one_line(32), clk, false).complete - clk;
  };
  CHECK(clocks(0, 0) == 350);     // no level has the page, DRAM has the line
  CHECK(clocks(0, 1000) == 100);  // level 1
  CHECK(clocks(3, 2000) == 107);  // level 2: the other TPC of the GPC
  CHECK(clocks(4, 3000) == 120);  // level 3: the other GPC
  CHECK(clocks(5, 4000) == 107);
}

TEST_CASE("a page outside of the window moves it, and a launch begins with a new one") {
  PageWindow window({1000, 0});
  CHECK(window.holds(5000));
  CHECK(window.holds(5999));
  CHECK_FALSE(window.holds(6000));
  CHECK(window.holds(6999));
  CHECK_FALSE(window.holds(5999));
  window.start_launch();
  CHECK(window.holds(50000));
  CHECK(PageWindow({0, 0}).holds(1));
}

TEST_CASE("a sector is fetched alone, its line's others are not there yet") {
  Description device = plain_device();
  device.coalescer_line = 32;
  device.l2 = level(64 * 128, 128, 100, Scope::gpu);
  device.l2->sector = 32;
  MemorySystem system(device);
  CHECK(system.load({0, 40, 0}).clk == 299);  // the lane's own clock of issue is not part of it
  CHECK(system.load({0, 40, 1000}).clk == 1099);
  CHECK(system.load({0, 41, 2000}).clk == 2299);
  CHECK(system.load({0, 40, 2100}).clk == 2199);  // has long been there
  CHECK(system.load({0, 41, 2150}).clk == 2299);
  CHECK(system.load({0, 43, 3000}).dram);
  CHECK_FALSE(system.load({0, 43, 4000}).dram);
}

TEST_CASE("lanes that want different rows of one bank are served one after another") {
  struct Row {
    std::uint64_t width, word;
    unsigned stride;  // words
    unsigned passes;
  };
  const Row rows[] = {
      // Fermi: gcd(stride, 32)
      {4, 4, 0, 1},
      {4, 4, 1, 1},
      {4, 4, 2, 2},
      {4, 4, 3, 1},
      {4, 4, 4, 4},
      {4, 4, 6, 2},
      {4, 4, 8, 8},
      {4, 4, 24, 8},
      {4, 4, 31, 1},
      {4, 4, 32, 32},
      {4, 4, 64, 32},
      // Kepler, 4 B mode: two words are a row
      {8, 4, 1, 1},
      {8, 4, 2, 1},
      {8, 4, 4, 2},
      {8, 4, 6, 2},
      {8, 4, 32, 16},
      {8, 4, 64, 32},
      // Kepler, 8 B mode
      {8, 8, 1, 1},
      {8, 8, 2, 1},
      {8, 8, 4, 2},
      {8, 8, 6, 1},
      {8, 8, 10, 1},
      {8, 8, 64, 32},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word);
    CAPTURE(row.width);
    CAPTURE(row.stride);
    Description::Shared shared;
    shared.latency = 50;
    shared.banks = 32;
    shared.width = row.width;
    shared.word = row.word;
    shared.pass = 37.4;
    const SharedBanks banks(shared);
    const exec::Lanes lanes = strided(row.stride * 4);
    CHECK(banks.passes(0xffffffff, lanes, 4) == row.passes);
    CHECK(latency_of(banks, lanes) == whole(50 + 37.4 * (row.passes - 1)));
    CHECK(banks.passes(1, lanes, 4) == 1);
  }
}

TEST_CASE("each pass keeps the banks from other accesses, whatever it takes of its own") {
  Description device = plain_device();
  device.shared = {50, 32, true, 4, 4, 32, 20, 3, 0, {}, {}};
  MemorySystem system(device);
  NearMemory memory(device, system, 0), other(device, system, 1);
  const exec::Lanes flat = strided(4), two = strided(8), all = strided(128);
  const auto ready = [](NearMemory& sm, const exec::Lanes& lanes, Clk clk) {
    return sm.access(effect_of(ptx::Space::shared, 0xffffffff, lanes), clk);
  };
  CHECK(ready(memory, two, 0) == 70);
  CHECK(ready(memory, two, 0) == 70 + 6);
  CHECK(ready(memory, all, 0) == 50 + 31 * 20 + 12);
  CHECK(ready(memory, flat, 0) == 50 + 12 + 32 * 3);
  CHECK(ready(other, flat, 0) == 50);  // an SM's banks are its own
  CHECK(ready(memory, flat, 1000) == 1050);
  // A latency that the device gives for the instruction is in place of the memory's.
  CHECK(memory.access(effect_of(ptx::Space::shared, 0xffffffff, two), 2000, 26) == 2000 + 46);
  memory.start_launch();
  CHECK(ready(memory, flat, 0) == 50);
  // Where only the cost of a pass is given it keeps the banks as long.
  device.shared.busy = -1;
  NearMemory slow(device, system, 2);
  CHECK(ready(slow, flat, 0) == 50);
  CHECK(ready(slow, flat, 0) == 50 + 20);
}

TEST_CASE("atomics on one word of shared memory are done lane by lane, where the device says so") {
  Description device = plain_device();
  device.shared = {50, 32, true, 4, 4, 32, 20, 3, 2, {}, {}};
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  const exec::Lanes one = strided(0), flat = strided(4);
  exec::Effect same = effect_of(ptx::Space::shared, 0xffffffff, one),
               own = effect_of(ptx::Space::shared, 0xffffffff, flat);
  same.is_atomic = own.is_atomic = true;
  CHECK(memory.access(own, 0) == 50);
  CHECK(memory.access(own, 0) == 50 + 2);
  CHECK(memory.access(same, 1000) == 1050 + 31 * 2);
  CHECK(memory.access(own, 1000) == 1050 + 32 * 2);
  // Lanes that are counted are one for each word, in passes of a load.
  same.counts_lanes = true;
  CHECK(memory.access(same, 2000) == 2050);
  CHECK(memory.access(own, 2000) == 2050 + 3);
}

TEST_CASE("bank conflicts of Fermi take 50, 88 and 1210 clocks") {
  const SharedBanks banks({50, 32, true, 4, 4, 32, 37.4, -1, 0, {}, {}});
  const auto clocks = [&](unsigned stride) {
    const exec::Lanes lanes = strided(stride * 4);
    return latency_of(banks, lanes);
  };
  CHECK(clocks(0) == 50);
  CHECK(clocks(2) == 88);
  CHECK(clocks(32) == 1210);
}

TEST_CASE("wide words are served by groups of lanes, neighbours of one word together") {
  Description::Shared shared{38, 32, true, 4, 4, 32, 4, 1, 0, {}, {}};
  const exec::Lanes same = strided(0);
  exec::Lanes pairs;
  for (unsigned i = 0; i < exec::kWarpSize; ++i) pairs[i] = 16 * (i / 2);
  struct Row {
    std::uint64_t group;
    const exec::Lanes& lanes;
    unsigned bytes;
    double busy, merged;
  };
  const exec::Lanes by4 = strided(4), by8 = strided(8), by16 = strided(16);
  for (const Row& row : {Row{128, by4, 4, 1, 1}, Row{128, by8, 8, 2, 1}, Row{128, by16, 16, 4, 1},
                         Row{128, same, 16, 2, 0.5}, Row{128, pairs, 16, 2, 0.5},
                         Row{0, same, 16, 1, 1}, Row{128, same, 4, 1, 1}}) {
    CAPTURE(row.group);
    CAPTURE(row.bytes);
    shared.group = row.group;
    const SharedBanks banks(shared);
    const auto passes = banks.passes_of(0xffffffff, &row.lanes, row.bytes, false);
    CHECK(passes.busy == row.busy);
    CHECK(passes.merged == row.merged);
  }
}

TEST_CASE("a compare-and-swap brings two words a lane to its bank") {
  Description::Shared shared;
  shared.banks = 32, shared.conflicts = true, shared.word = shared.width = 4, shared.lanes = 32;
  shared.atomic = 1.5;
  const SharedBanks banks(shared);
  const exec::Lanes apart = strided(4), one{};
  CHECK(banks.passes_of(0xffffffff, &apart, 4, true).busy == 1.5);
  CHECK(banks.passes_of(0xffffffff, &apart, 4, true, 2).busy == 3);
  CHECK(banks.passes_of(0xffffffff, &one, 4, true, 2).busy == 96);
}

TEST_CASE("loads of global memory keep the banks of shared memory, and pass those that wait") {
  Description device = plain_device();
  device.shared = {50, 32, true, 4, 4, 32, 20, 3, 0, {}, {}};
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  const exec::Lanes flat = strided(4);
  const auto shared = [&](Clk clk) {
    return memory.access(effect_of(ptx::Space::shared, 0xffffffff, flat), clk);
  };
  CHECK(memory.take_banks(0, 4) == 0);
  CHECK(memory.take_banks(0, 4) == 4);
  CHECK(shared(0) == 50 + 8);
  CHECK(shared(0) == 50 + 8 + 3);
  CHECK(memory.take_banks(0, 4) == 8);  // Not behind the accesses to shared memory.
  CHECK(shared(0) == 50 + 8 + 3 + 3 + 4);
  memory.start_launch();
  CHECK(memory.take_banks(0, 4) == 0);
}

TEST_CASE("wide words take two rows of a bank, half-warps are served apart") {
  Description::Shared shared{38, 32, true, 4, 4, 32, 4, -1, 0, {}, {}};
  const exec::Lanes wide = strided(8), apart = strided(64);
  CHECK(SharedBanks(shared).passes(0xffffffff, wide, 8) == 2);
  shared.banks = 16;
  shared.lanes = 16;
  CHECK(latency_of(SharedBanks(shared), apart) == 38 + 2 * 15 * 4);
  const exec::Lanes words = strided(4);
  CHECK(latency_of(SharedBanks(shared), words) == 38);
}

namespace {

/// Code in 64 B fetches; 0, 80 and 200 clocks, the last level that of the constants.
Description with_code() {
  Description device = with_constants();
  device.instruction = Description::Instruction{};
  auto& code = *device.instruction;
  code.latency = 400;
  code.fetch = 64;
  code.level = {level(512, 256, 0, Scope::sm), level(1024, 256, 80, Scope::tpc),
                device.constant.level[2]};
  code.level[2]->latency = 220;
  code.same_as[2] = 2;
  return device;
}

}  // namespace

TEST_CASE("a warp waits for code where it enters another 64 bytes, and nowhere else") {
  const Description device = with_code();
  MemorySystem system(device);
  InstructionFetch fetch(*device.instruction, system, 0, 4);
  CHECK(fetch.fetch(0, 0, 0) == 400);
  for (std::uint64_t i = 0; i < 8; ++i) CHECK(fetch.fetch(0, i, 400 + 4 * i) == 400 + 4 * i);
  CHECK(fetch.fetch(0, 8, 432) == 432);   // the line of 256 B is in the first level
  CHECK(fetch.fetch(0, 32, 500) == 900);  // the next line
  CHECK(fetch.fetch(1, 32, 600) == 900);  // another warp waits for the same line
  CHECK(fetch.fetch(1, 0, 900) == 900);
  InstructionFetch neighbour(*device.instruction, system, 1, 4),
      far(*device.instruction, system, 2, 4);
  CHECK(neighbour.fetch(0, 0, 1000) == 1080);
  CHECK(far.fetch(0, 0, 2000) == 2220);
}

TEST_CASE("code that was executed before is at hand") {
  const Description device = with_code();
  MemorySystem system(device);
  InstructionFetch fetch(*device.instruction, system, 0, 4);
  fetch.hold(33);  // two lines of 256 B, as much as the first level has
  CHECK(fetch.fetch(0, 0, 10) == 10);
  CHECK(fetch.fetch(0, 32, 20) == 20);
  CHECK(fetch.fetch(0, 64, 30) == 430);
}

TEST_CASE("code that is asked for ahead is there sooner, or at once") {
  for (const auto& [later, wait] : {std::pair{100, 300}, {399, 1}, {400, 0}, {1000, 0}}) {
    Description device = with_code();
    device.instruction->prefetch = 256;
    MemorySystem system(device);
    InstructionFetch fetch(*device.instruction, system, 0, 4);
    CHECK(fetch.fetch(0, 0, 0) == 400);
    CHECK(fetch.fetch(0, 32, later) == later + wait);
  }
}

TEST_CASE("constants and code that share a level push each other out of it") {
  const Description device = with_code();
  MemorySystem system(device);
  NearMemory constants(device, system, 0);
  InstructionFetch fetch(*device.instruction, system, 2, 4);
  constant(constants, 0, 0);
  constant(constants, 1024, 0);  // out of the levels before: 4 lines of 64 B, 4 of 256 B
  for (std::uint64_t line = 1; line <= 4; ++line) constant(constants, line * 256, 100);
  CHECK(constant(constants, 0, 1000) == 200);
  for (std::uint64_t line = 0; line < 16; ++line) fetch.fetch(0, line * 32, 2000);
  for (std::uint64_t line = 1; line <= 4; ++line) constant(constants, 8192 + line * 256, 3000);
  CHECK(constant(constants, 0, 4000) == 500);
}

TEST_CASE("a job begins with empty caches, a launch keeps code, constants and translations") {
  Description device = with_code();
  device.translation.tlb[0] = level(2 * 4096, 4096, 0, Scope::gpu);
  device.translation.tlb[0]->miss = 7;
  auto& texture = device.texture.emplace();
  texture.latency = 600;
  texture.level[0] = level(256, 32, 60, Scope::sm);
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  MemoryPath path(device, system, 0);
  InstructionFetch fetch(*device.instruction, system, 0, 4);
  const exec::Lanes lanes = strided(0, 4096);
  const auto clocks = [&](Clk clk) {
    fetch.start_warp(0);
    // The load last: it leaves the pipeline a clock after the others.
    const Clk of_constant = constant(memory, 64, clk), of_code = fetch.fetch(0, 0, clk) - clk;
    const Clk of_texture = memory.access(effect_of(ptx::Space::texture, 1, lanes), clk) - clk;
    const Clk of_load = path.load(one_line(32), clk, false).complete - clk;
    return std::vector<Clk>{of_constant, of_code, of_load, of_texture};
  };
  CHECK(clocks(0) == std::vector<Clk>{500, 400, 307, 600});
  CHECK(clocks(1000) == std::vector<Clk>{10, 0, 300, 60});
  system.start_launch(1, 1);
  CHECK(clocks(2000) == std::vector<Clk>{10, 0, 300, 600});
  system.start_job();
  CHECK(clocks(3000) == std::vector<Clk>{500, 400, 307, 600});
}

TEST_CASE("a unified texture is read through L1, where loads find its lines and it finds theirs") {
  Description device = plain_device();
  device.l1 = level(8 * 128, 128, 30, Scope::sm);
  device.l2 = level(64 * 128, 128, 100, Scope::gpu);
  device.unified_texture = 15;
  MemorySystem system(device);
  MemoryPath path(device, system, 0);
  NearMemory memory(device, system, 0, &path);
  const exec::Lanes here = strided(4, 5 * 128), there = strided(4, 9 * 128);
  const auto clocks = [&](const exec::Lanes& lanes, Clk clk) {
    return memory.access(effect_of(ptx::Space::texture, 0xffffffff, lanes), clk) - clk;
  };
  // A lane's own clock in the load/store unit is no part of a fetch.
  CHECK(clocks(here, 0) == 299 + 15);
  CHECK(clocks(here, 1000) == 29 + 15);
  CHECK(path.load(one_line(5), 2000, false).complete == 2030);
  CHECK(path.load(one_line(9), 3000, false).complete == 3300);
  CHECK(clocks(there, 4000) == 29 + 15);
}

TEST_CASE("lines of textures keep the banks of L1, and the next fetch waits for them") {
  Description device = plain_device();
  device.l1 = level(64 * 128, 128, 30, Scope::sm);
  device.l2 = level(64 * 128, 128, 100, Scope::gpu);
  device.unified_texture = 15;
  device.lsu.banks_line = 1;
  MemorySystem system(device);
  MemoryPath path(device, system, 0);
  NearMemory memory(device, system, 0, &path);
  const exec::Lanes lanes = strided(128, 0);
  const auto clocks = [&](Clk clk) {
    return memory.access(effect_of(ptx::Space::texture, 0xffffffff, lanes), clk) - clk;
  };
  clocks(0);
  for (const Clk waits : {0, 32, 64}) CHECK(clocks(10000) == waits + 29 + 15);
}

TEST_CASE("lanes of a texture fetch look up each line once, sets and L2 behind") {
  Description device = plain_device();
  device.l2 = level(64 * 128, 128, 100, Scope::gpu);
  auto& texture = device.texture.emplace();
  texture.latency = 361;
  texture.l2_latency = 220;
  texture.level[0] = level(256, 32, 110, Scope::sm);
  MemorySystem system(device);
  NearMemory memory(device, system, 0), other(device, system, 1);
  const exec::Lanes lanes = strided(4, 1 << 20);
  const auto clocks = [&](NearMemory& of, Clk clk) {
    return of.access(effect_of(ptx::Space::texture, 0xffffffff, lanes), clk) - clk;
  };
  CHECK(clocks(memory, 0) == 361);
  CHECK(clocks(memory, 1000) == 110);
  CHECK(clocks(other, 2000) == 220);
}
