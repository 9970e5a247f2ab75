// The rates of an SM under load: stores that wait, banks and partitions, operands, barriers alone,
// atomics, DRAM that lies apart. Clocks worked out by hand, each limit alone.
#include <doctest/doctest.h>

#include "runtime/device/vgpu/memory/near_memory.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

constexpr exec::Mask kEveryLane = 0xffffffff;

exec::Lanes lanes_apart(std::uint64_t stride, std::uint64_t base = 0) {
  exec::Lanes lanes;
  for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = base + i * stride;
  return lanes;
}

Requests requests_apart(std::uint64_t stride, unsigned bytes = 4) {
  const exec::Lanes lanes = lanes_apart(stride, 1 << 20);
  Requests requests;
  Coalescer(32).coalesce(kEveryLane, lanes, requests, bytes);
  Coalescer(32).count_same(kEveryLane, lanes, requests);
  return requests;
}

/// Requests of 32 B; a load takes its pipeline a clock; 100 clocks to L2, 300 to DRAM.
Description small_device() {
  Description device;
  device.clock_hz = 1e9;
  device.sm.count = 2;
  device.coalescer_line = 32;
  device.lsu = {1, 1, 0, 0};
  device.l2 = {1 << 20, 128, 4, 100};
  device.dram = {300, 0};
  device.shared.latency = 20;
  device.constant.latency = 500;
  return device;
}

Clk past_l1(const Description& device, const Requests& requests) {
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(requests, 0, true);
  return path.load(requests, 10000, true).complete - 10000;
}

/// Clocks of `body` between two reads of the clock, of the last warp.
Clk clocks_of(const std::string& device, const std::string& body, unsigned threads) {
  const auto gpu = open_text(device);
  Probe probe;
  probe.keep_row_each(1, threads);
  const std::string text =
      "  mov.f32 %f1, 0f3f800000;\n  mov.f32 %f2, 0f3f800000;\n  mov.f32 %f3, 0f3f800000;\n"
      "  bar.sync 0;\n  mov.u64 %rd3, %clock64;\n" +
      body + "  mov.u64 %rd4, %clock64;\n  sub.u64 %rd5, %rd4, %rd3;\n" +
      store_row(threads, "%rd5");
  const auto values = probe.run_or_fail(*gpu, probe_ptx(text)).results;
  return static_cast<Clk>(values.at(threads - 1));
}

std::string times(unsigned count, const std::string& text) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += text;
  return all;
}

std::string k20_with(const std::string& sm) {
  return replaced(device_text("k20"), "  sm = {", "  sm = {\n    " + sm);
}

}  // namespace

TEST_CASE("the warps of a block start one after another") {
  const std::string device = replaced(device_text("k20"), "block_scheduler = {",
                                      "block_scheduler = { warp = \"50 clocks\",");
  const auto gpu = open_text(device);
  Probe probe;
  probe.keep_row_each(1, 128);
  const std::string text = "  mov.u64 %rd3, %clock64;\n" + store_row(128, "%rd3");
  const auto clocks = probe.run_or_fail(*gpu, probe_ptx(text)).results;
  for (const unsigned warp : {1u, 2u, 3u}) CHECK(clocks.at(32 * warp) - clocks.at(0) == 50 * warp);
}

TEST_CASE("a store waits for its turn in the queue, and its requests for room in the buffer") {
  // Four requests wait, two stores before them; a partial line takes a clock more.
  StoreBuffer buffer({4, 1, 1, 2});
  CHECK(buffer.admit(0, 4, 4).goes_on == 0);  // it begins at 0 and has gone at 8
  CHECK(buffer.admit(0, 4, 4).goes_on == 0);  // at 4
  CHECK(buffer.admit(0, 4, 4).goes_on == 0);  // at 12: two wait
  CHECK(buffer.admit(0, 4, 4).goes_on == 4);  // at 20
  CHECK(buffer.admit(0, 4, 4).goes_on == 12);
  CHECK(buffer.admit(0, 0, 4).goes_on == 20);
  CHECK(buffer.admit(1000, 4, 4).goes_on == 1000);
  CHECK(buffer.depart(2000, true) == 2000);
  CHECK(buffer.depart(2000, false) == 2002);
  CHECK(buffer.depart(2000, false) == 2003);
  CHECK(buffer.sent() == 2004);
}

TEST_CASE("stores to shared memory wait in the same queue, as long as they keep the banks") {
  StoreBuffer buffer({4, 1, 1, 2});
  CHECK(buffer.admit_shared(0, 32).goes_on == 0);  // it begins at 0
  CHECK(buffer.admit_shared(0, 32).goes_on == 0);  // at 32
  CHECK(buffer.admit_shared(0, 1).goes_on == 0);   // at 64
  CHECK(buffer.admit_shared(0, 1).goes_on == 32);
  CHECK(buffer.admit_shared(0, 1).goes_on == 64);
}

TEST_CASE("registers of a store are read before its warp waits, which is when its part is full") {
  // Partial lines keep the SM for eight clocks; one store waits read, two in each of two parts.
  StoreBuffer buffer({1000, 1, 8, 1, 4}, 2);
  CHECK(buffer.admit(0, 1, 4).goes_on == 0);
  CHECK(buffer.admit(0, 1, 4).read == 0);
  StoreBuffer::Admitted third = buffer.admit(0, 1, 4);
  CHECK(third.read == 8);
  CHECK(third.goes_on == 0);
  third = buffer.admit(0, 1, 4);
  CHECK(third.read == 16);
  CHECK(third.goes_on == 8);
  CHECK(buffer.admit(0, 1, 4, 1).goes_on == 0);  // the other part has room
  CHECK(buffer.admit(0, 1, 4, 1).goes_on == 0);
  CHECK(buffer.admit(0, 1, 4, 1).goes_on == 32);
}

TEST_CASE("registers of a reduction are read when those before it are few") {
  Description device = small_device();
  device.atomics.emplace();
  device.atomics->request = 4;
  device.atomics->burst = 1000;
  device.atomics->lane = 2;
  Requests requests = requests_apart(128);
  requests.returns = false;
  const auto read_at = [&](std::uint32_t queue) {
    device.atomics->queue = queue;
    MemorySystem system(device);
    MemoryPath path(device, system);
    Clk last = 0;
    for (int k = 0; k < 10; ++k) last = path.admit_reduction(requests, 0);
    return last;
  };
  const auto clocks = static_cast<Clk>(4 * requests.count);
  CHECK(read_at(0) == 0);  // no queue: at once
  CHECK(read_at(9) == 0);
  CHECK(read_at(4) == 5 * clocks);
}

TEST_CASE("a partition hands over its own passes more slowly than the banks take them") {
  Description device = small_device();
  device.sm.partitions = 2;
  device.shared.banks = 32;
  device.shared.pass = 2;
  device.shared.busy = 1;
  device.shared.partition_pass = 2;
  MemorySystem system(device);
  NearMemory memory(device, system, 0);
  const exec::Lanes conflict = lanes_apart(128);
  exec::Effect effect;
  effect.space = ptx::Space::shared;
  effect.active = kEveryLane;
  effect.bytes = 4;
  effect.addresses = &conflict;
  CHECK(memory.access(effect, 0, std::nullopt, 0) == 20 + 62);
  CHECK(memory.access(effect, 0, std::nullopt, 1) == 20 + 63);  // its passes wait for the banks
  CHECK(memory.access(effect, 0, std::nullopt, 0) == 64 + 20 + 62);
  CHECK(memory.access(effect, 1000, std::nullopt, 0) == 1000 + 20 + 62);

  // Groups of lanes that wide words make are passes of the partition, too.
  device.shared.group = 128;
  NearMemory wide(device, system, 0);
  const exec::Lanes side_by_side = lanes_apart(16);
  effect.addresses = &side_by_side;
  effect.bytes = 16;
  CHECK(wide.access(effect, 0, std::nullopt, 0) == 20 + 6);
  CHECK(wide.access(effect, 0, std::nullopt, 0) == 8 + 20 + 6);

  // One pass of the banks, but 14 clocks to write four words of each lane: the next one waits.
  const exec::Lanes one_address = lanes_apart(0);
  effect.addresses = &one_address;
  for (const Clk waits : {0, 14, 28})
    CHECK(memory.access(effect, 2000, std::nullopt, 0, 14) == 2000 + waits + 20);
  CHECK(memory.access(effect, 2000, std::nullopt, 1, 14) == 2003 + 20);  // of the banks alone
}

TEST_CASE("loads that L1 has take its banks in passes; those that miss take each line") {
  Description device = small_device();
  device.l1 = {1 << 16, 128, 4, 30};
  device.l1->lookup = 0.25;
  device.l1->missed = 1;
  MemorySystem system(device);
  MemoryPath path(device, system);
  Requests requests = requests_apart(128);
  requests.passes = 12;
  CHECK(path.load(requests, 0, false).pipeline_free == 32);
  CHECK(path.load(requests, 10000, false).pipeline_free == 10000 + 12);
  requests.passes = 2;
  CHECK(path.load(requests, 20000, false).pipeline_free == 20000 + 8);
}

TEST_CASE("lines whose tags lie in one bank are looked up one after another") {
  Description device = small_device();
  device.l1 = {1 << 16, 128, 4, 30};
  device.l1->lookup = 0.25;
  device.l1->tag_banks = 4;
  MemorySystem system(device);
  MemoryPath path(device, system);
  Clk clk = 0;
  const auto clocks = [&](std::uint64_t stride) {
    path.load(requests_apart(stride), clk += 10000, false);
    const Clk begin = clk += 10000;
    return path.load(requests_apart(stride), begin, false).pipeline_free - begin;
  };
  CHECK(clocks(128) == 8);
  CHECK(clocks(256) == 16);
  CHECK(clocks(512) == 32);
  CHECK(clocks(640) == 8);
  CHECK(clocks(4) == 1);
}

TEST_CASE("a load past L1 is later by the further lines that it wants") {
  Description device = small_device();
  device.l1 = {1 << 16, 128, 4, 30};
  const Clk lines = past_l1(device, requests_apart(128)),
            words = past_l1(device, requests_apart(4));
  device.lsu.split = 0.5;
  CHECK(past_l1(device, requests_apart(128)) == lines + 16);
  CHECK(past_l1(device, requests_apart(4)) == words);
}

TEST_CASE("atomics take their access, requests and lines; requests run some way ahead of lines") {
  const auto last = [](double burst) {
    Description device = small_device();
    auto& atomics = device.atomics.emplace();
    atomics.access = 2;
    atomics.request = 3;
    atomics.line = 1;
    atomics.burst = burst;
    MemorySystem system(device);
    MemoryPath path(device, system);
    path.atomic(requests_apart(128), 0);  // the lines come from DRAM
    return path.atomic(requests_apart(128), 10000).complete - 10000;
  };
  // Of 32 requests, each of its own line, the last begins 2 + 31 * 4 clocks after the first.
  CHECK(last(0) == 100 + 126);
  CHECK(last(1e5) == 100 + 2 + 31 * 3);
  CHECK(last(20) == 100 + 106);
}

namespace {

/// Two units, by bit 6 of 128 B; an address takes 1.5 clocks of its unit, lanes of several
/// addresses 0.5; a sum of floats is there after 4.
Description device_with_units() {
  Description device = small_device();
  device.slices = {2, 1e30};
  auto& atomics = device.atomics.emplace();
  atomics.address = 1.5;
  atomics.turn = 0.5;
  atomics.unit_bits = {6};
  atomics.real = 4;
  return device;
}

struct Atomic {
  std::uint64_t sector;
  unsigned same = 1;
  bool real = false;
  unsigned more = 0;  // lanes of other addresses
  bool twice = false;
};
/// When the last of some atomics is done that all come at once, behind their lines.
Clk last_of(const std::vector<Atomic>& atomics, double share = 1) {
  MemorySystem system(device_with_units());
  for (std::uint64_t sector = 0; sector < 8; ++sector) system.store({0, sector, 0});
  system.start_launch(1, 0, share);
  Clk last = 0;
  for (const Atomic& each : atomics)
    last = std::max(last, system
                              .atomic({0, each.sector, 1000},
                                      {each.same + each.more, each.same, each.real, each.twice})
                              .clk);
  return last - 1000;
}

}  // namespace

TEST_CASE("a unit of L2 does atomics one after another, on whatever address of its own") {
  CHECK(last_of({{0}}) == 99);
  CHECK(last_of({{0}, {0}, {0}, {0}, {0}}) == 99 + 6);
  CHECK(last_of({{0}, {1}, {0}, {1}, {0}}) == 99 + 6);
  CHECK(last_of({{0}, {2}, {1}, {3}}) == 99 + 2);  // 1.5 clocks after the first of its unit
  CHECK(last_of({{0, 5}}) == 99 + 6);              // lanes of one address, each a turn
  CHECK(last_of({{0, 5}, {1}}) == 99 + 8);
  CHECK(last_of({{0, 1, false, 7}, {0, 1, false, 7}, {1}}) == 99 + 1);
  CHECK(last_of({{0, 4, false, 4}, {1}}) == 99 + 2);
  CHECK(last_of({{0}, {0}, {0}, {0}, {0}}, 0.5) == 99 + 12);
}

TEST_CASE("doubles, and words that are compared, take two turns where lanes share them") {
  const Atomic shared{0, 1, false, 7, true}, alone{0, 5, false, 0, true};
  CHECK(last_of({shared, shared, {1}}) == 99 + 2);
  CHECK(last_of({alone}) == 99 + 6);
  CHECK(last_of({{0, 1, true, 3, true}, {0, 1, true, 3, true}}) == 99 + 4);
}

TEST_CASE("a bulk reduction takes the turns of its sectors") {
  const Description device = device_with_units();
  MemorySystem system(device);
  MemoryPath path(device, system);
  for (std::uint64_t sector = 0; sector < 4; ++sector) system.store({0, sector, 0});
  const exec::Range line{0, 128};  // two sectors of each unit
  const AtomicUnits::Lanes integers{8, 1, false}, floats{8, 1, true};
  CHECK(path.bulk(line, 1000, true) == 0);
  for (const Clk late : {1, 2, 3, 4}) CHECK(path.bulk(line, 1000, true, integers) == late);
  // Of floats a sector's next sum waits for the one before.
  for (const Clk late : {4, 8, 12}) CHECK(path.bulk(line, 5000, true, floats) == late - 3);
}

TEST_CASE("atomics that lie whole runs apart take all units") {
  Description::Atomics atomics;
  atomics.address = 1;
  atomics.unit_bits = {8, 10, 11};
  for (const std::uint64_t apart : {256, 4096, 16384}) {
    AtomicUnits units(atomics, 96, 32);
    Clk last = 0;
    for (std::uint64_t i = 0; i < 9600; ++i)
      last = std::max(last, units.wait(i * apart / 32, 0, {1, 1, false}));
    CAPTURE(apart);
    CHECK(last < 200);  // a hundred each, were they even
  }
}

TEST_CASE("sums of floating point on one sector wait for each other, those beside it do not") {
  CHECK(last_of({{0, 1, true}, {0, 1, true}, {0, 1, true}}) == 99 + 8);
  CHECK(last_of({{0, 3, true}}) == 99 + 8);
  CHECK(last_of({{0, 1, true}, {1, 1, true}}) == 99 + 2);
  CHECK(last_of({{0, 1, true}, {0}}) == 99 + 4);
}

TEST_CASE("a store to a line that a unit has done atomics on keeps the unit") {
  Description device = device_with_units();
  device.atomics->after_store = 7;
  MemorySystem system(device);
  const auto done = [&](std::uint64_t sector) {
    return system.atomic({0, sector, 1000}, {1, 1, false}).clk - 1000;
  };
  for (std::uint64_t sector = 0; sector < 2; ++sector) system.store({0, sector, 0});
  CHECK(done(0) == 99);
  CHECK(done(0) == 99 + 2);    // 1.5 clocks after the one before, in whole ones
  system.store({0, 5, 1000});  // another line
  CHECK(done(0) == 99 + 3);
  system.store({0, 0, 1000});
  system.store({0, 0, 1000});
  CHECK(done(0) == 99 + 5 + 14);
  system.store({0, 3, 1000});  // of the line, too
  CHECK(done(2) == 99 + 7);
}

TEST_CASE("a read waits for the end of a refresh, and the mean is the latency") {
  CHECK(Dram({300, 0}).refresh(7, 0) == 0);
  Description::Dram refreshed;
  refreshed.refresh = 200;
  refreshed.refresh_every = 2000;  // a tenth of the reads wait, 100 clocks in the mean: 10 of all
  const Dram dram(refreshed);
  Clk least = 0, most = 0, sum = 0;
  unsigned waited = 0;
  constexpr std::uint64_t kLines = 16384;
  for (std::uint64_t line = 0; line < kLines; ++line) {
    const Clk clocks = dram.refresh(line, 12345 + 7 * line);
    least = std::min(least, clocks), most = std::max(most, clocks), sum += clocks;
    waited += clocks > -10;
  }
  CHECK(least == -10);
  CHECK(most <= 190);
  CHECK(most > 185);
  CHECK(std::abs(sum) < static_cast<Clk>(kLines));
  CHECK(waited > kLines / 11);
  CHECK(waited < kLines / 9);
}

TEST_CASE("one line's refreshes come back") {
  Description::Dram refreshed;
  refreshed.refresh = 200;
  refreshed.refresh_every = 2000;
  const Dram dram(refreshed);
  for (Clk clk = 0; clk < 4000; clk += 50)
    CHECK(dram.refresh(3, clk) == dram.refresh(3, clk + 2000));
}

TEST_CASE("reads wait for refreshes without an L2, too") {
  Description device = small_device();
  device.l2.reset();
  Clk most = 0;
  for (const double refresh : {0, 200}) {
    device.dram.refresh = refresh;
    device.dram.refresh_every = 2000;
    MemorySystem system(device);
    for (std::uint64_t line = 0; line < 64; ++line)
      most = std::max(most, system.load({0, line * 4, 10000}).clk - 10000);
    CHECK((most > 400) == (refresh > 0));
  }
}

TEST_CASE("a line waits for a dirty one to leave") {
  Description device = small_device();
  device.dram.dirty = 50;
  device.l2->capacity = 4 * 128;  // one set
  MemorySystem system(device);
  for (std::uint64_t line = 0; line < 4; ++line) system.store({0, line * 4, 0});
  CHECK(system.load({0, 400, 1000}).clk == 1000 + 300 + 50 - 1);
  MemorySystem clean(device);
  CHECK(clean.load({0, 400, 1000}).clk == 1000 + 300 - 1);
}

TEST_CASE("words of a load come back to a partition one after another") {
  // Each load has registers of its own: none waits for another.
  const auto clocks = [](unsigned count, unsigned returned) {
    const std::string device =
        replaced(k20_with("partitions = 4,"), "  shared = {",
                 fmt::format("  shared = {{\n    returned = \"{} clocks\",", returned));
    std::string body = "  .shared .align 16 .b8 memory[64];\n  mov.u32 %r9, memory;\n";
    for (unsigned i = 0, r = 10; i < count; ++i, r += 4)
      body += fmt::format("  ld.shared.v4.u32 {{%r{}, %r{}, %r{}, %r{}}}, [%r9];\n", r, r + 1,
                          r + 2, r + 3);
    return clocks_of(device, body, 32);
  };
  for (const unsigned returned : {5u, 9u})
    CHECK(clocks(9, returned) - clocks(1, returned) == 8 * 4 * returned);
}

TEST_CASE("a match costs by the values that the lanes have") {
  // The hopper's rows: 369 clocks of 32 values, 28 of one.
  const auto clocks = [](unsigned mask) {
    const std::string text = fmt::format(
        "  and.b32 %r4, %r1, {};\n  match.any.sync.b32 %r5, %r4, 0xffffffff;\n"
        "  add.u32 %r6, %r5, %r5;\n",
        mask);
    return clocks_of(device_text("hopper"), text, 32);
  };
  CHECK(clocks(31) - clocks(0) == 31 * 11);
  CHECK(clocks(7) - clocks(0) == 7 * 11);
}

TEST_CASE("a launch takes away what caches of constants had, where the device says so") {
  const auto second = [](bool lost) {
    Description device = small_device();
    device.constant.lost = lost;
    device.constant.level[0] = Description::Cache{1024, 64, 2, 10};
    MemorySystem system(device);
    NearMemory memory(device, system, 0);
    const exec::Lanes lanes = lanes_apart(0, 64);
    exec::Effect effect;
    effect.space = ptx::Space::constant;
    effect.active = 1;
    effect.addresses = &lanes;
    memory.access(effect, 0);
    system.start_launch(1, 2);
    return memory.access(effect, 10000) - 10000;
  };
  CHECK(second(false) == 10);
  CHECK(second(true) == 500);
}

TEST_CASE("a partition reads so many registers a clock, besides those that it has just read") {
  const std::string chain = "  fma.rn.f32 %f4, %f4, %f1, %f2;\n",
                    streams =
                        "  fma.rn.f32 %f4, %f4, %f1, %f2;\n  fma.rn.f32 %f5, %f5, %f1, %f2;\n";
  const std::string plain = device_text("k20"), ports = k20_with("operand_reads = 0.5,");
  // Three registers at half a register a clock: six clocks of 32 warps, which are 24 of the k20's
  // latency more than alone; where two are shared, two clocks.
  const Clk alone = clocks_of(plain, times(16, chain), 1024);
  CHECK(clocks_of(ports, times(16, chain), 1024) > 2 * alone);
  CHECK(clocks_of(ports, times(16, chain), 1024) >= 16 * 32 * 6);
  CHECK(clocks_of(ports, times(8, streams), 1024) < 16 * 32 * 6);
}

TEST_CASE("a product that is added to something costs nothing, unless a rounding mode keeps it") {
  const std::string sum = "  add.f32 %f4, %f5, %f2;\n",
                    pair = "  mul.f32 %f5, %f4, %f1;\n  add.f32 %f4, %f5, %f2;\n",
                    kept = "  mul.rn.f32 %f5, %f4, %f1;\n  add.f32 %f4, %f5, %f2;\n";
  const std::string plain = device_text("k20"), fused = k20_with("contraction = \"fused\",");
  CHECK(clocks_of(fused, times(8, pair), 32) < clocks_of(plain, times(8, pair), 32));
  CHECK(clocks_of(fused, times(8, kept), 32) == clocks_of(plain, times(8, kept), 32));
  CHECK(clocks_of(fused, times(8, sum), 32) == clocks_of(plain, times(8, sum), 32));
}
