// The rates of loads, stores, slices of L2, DRAM, barriers, code and launches: clocks worked out by
// hand, each limit alone.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "runtime/device/vgpu/memory/memory_path.h"
#include "runtime/device/vgpu/timing/instruction_fetch.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

constexpr exec::Mask kAll = 0xffffffff;

Requests strided(std::uint64_t stride, unsigned bytes = 4, std::uint64_t base = 1 << 20) {
  exec::Lanes lanes;
  for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = base + i * stride;
  Requests requests;
  Coalescer(32).coalesce(kAll, lanes, requests, bytes);
  return requests;
}

/// Requests of 32 B; a load takes its pipeline a clock; 100 clocks to L2, 300 to DRAM.
Description plain_device() {
  Description device;
  device.clock_hz = 1e9;
  device.sm.count = 2;
  device.coalescer_line = 32;
  device.lsu = {1, 1, 0, 0};
  device.l2 = {1 << 20, 128, 4, 100};
  device.dram = {300, 0};
  return device;
}

/// A line of 128 B asked for every clock, `returned` bytes a clock back.
Description with_lines(double returned = 0) {
  Description device = plain_device();
  auto& queue = device.memory_queue.emplace();
  queue.coalesced = queue.uncoalesced = 1;
  queue.line = 128;
  queue.returned = returned;
  return device;
}

/// Clocks of a load whose lines are in L2.
Clk warm(const Description& device, const Requests& requests, bool bypass_l1 = true) {
  MemorySystem system(device);
  MemoryPath path(device, system);
  path.load(requests, 0, true);
  return path.load(requests, 10000, bypass_l1).complete - 10000;
}

struct Row {
  std::uint64_t stride;
  unsigned bytes;
  Clk clocks;
};

}  // namespace

TEST_CASE("a line is asked for once by an access, a clock apart, however many of its sectors") {
  for (const Row& row : {Row{4, 4, 100}, Row{8, 4, 101}, Row{16, 4, 103}, Row{32, 4, 107},
                         Row{64, 4, 115}, Row{128, 4, 131}, Row{256, 4, 131}, Row{16, 16, 103}}) {
    CAPTURE(row.stride);
    CAPTURE(row.bytes);
    CHECK(warm(with_lines(), strided(row.stride, row.bytes)) == row.clocks);
  }
}

TEST_CASE("without memory_queue.line each sector departs alone") {
  Description device = with_lines();
  device.memory_queue->line = 0;
  CHECK(warm(device, strided(4)) == 103);
  CHECK(warm(device, strided(32)) == 131);
}

TEST_CASE("what comes back to an SM passes its port, sector by sector") {
  // 32 B at 64 B/clk: half a clock each, the last of n half of n - 1 clocks after the first.
  for (const Row& row : {Row{4, 4, 102}, Row{16, 4, 108}, Row{32, 4, 116}, Row{64, 4, 116},
                         Row{128, 4, 131}, Row{16, 16, 108}}) {
    CAPTURE(row.stride);
    CHECK(warm(with_lines(64), strided(row.stride, row.bytes)) == row.clocks);
  }
}

TEST_CASE("the next access asks for the same line again, unless L1 has it or waits for it") {
  Description device = with_lines();
  for (const bool cached : {false, true}) {
    if (cached) device.l1 = Description::Cache{64 * 1024, 128, 4, 30};
    if (cached) device.l1->sector = 32;
    MemorySystem system(device);
    MemoryPath path(device, system);
    const Requests lines = strided(128);
    path.load(lines, 0, true);
    CHECK(path.load(lines, 10000, !cached).complete == 10131);
    CHECK(path.load(lines, 10000, !cached).complete == (cached ? 10131 : 10163));
  }
}

TEST_CASE("a store that finds no room keeps its warp until there is some") {
  StoreBuffer buffer({64, 1});
  CHECK(buffer.admit(0, 0, 32).goes_on == 0);
  CHECK(buffer.admit(1, 0, 32).goes_on == 1);  // 64 wait or have gone
  CHECK(buffer.admit(2, 0, 32).goes_on == 2);  // it begins: the first of 96 has gone
  CHECK(buffer.admit(3, 0, 4).goes_on == 32);  // 64 wait when the 32nd departs
  CHECK(buffer.admit(200, 0, 64).goes_on == 200);
  CHECK(buffer.depart(10, false) == 10);
  CHECK(buffer.depart(10, false) == 11);
  CHECK(buffer.depart(40, false) == 40);
}

TEST_CASE("merged_stores: a store joins one to the same sectors that waits, if few lines wait") {
  Description::StoreBuffer description{64, 1, 1};
  description.window = 8;
  const std::vector<std::uint64_t> first{0, 1, 2, 3}, second{8, 9};
  StoreBuffer buffer(description);
  buffer.start_launch();
  // It has not departed before its line is looked up.
  CHECK_FALSE(buffer.joins(first, 1, 1, 0));
  CHECK(buffer.joins(first, 1, 1, 0));
  CHECK_FALSE(buffer.joins(second, 1, 1, 0));
  CHECK(buffer.joins(std::span(second).first(1), 1, 1, 0));
  CHECK_FALSE(buffer.joins(first, 1, 1, 1));  // it has departed
  buffer.start_launch();
  CHECK_FALSE(buffer.joins(first, 9, 1, 0));
  CHECK_FALSE(buffer.joins(first, 9, 1, 0));  // too many lines wait
}

TEST_CASE("merged_stores: words of a structure reach L2 as whole sectors") {
  struct Counts : Listener {
    unsigned stores = 0;
    void looks_up(Clk, unsigned, std::string_view level, Lookup) override {
      stores += level == "l2";
    }
  } counts;
  Description device = plain_device();
  device.store_buffer.emplace(Description::StoreBuffer{64, 1, 1}).window =
      48;  // without L1 a line is a sector
  MemorySystem system(device);
  system.set_listener(&counts);
  MemoryPath path(device, system);
  path.start_launch();
  path.store(strided(32), 0);  // something that departs first
  const unsigned before = counts.stores;
  for (const unsigned word : {0u, 4u, 8u}) path.store(strided(12, 4, (1 << 21) + word), 1);
  CHECK(counts.stores - before == 12);
}

TEST_CASE("stores depart past the queue of loads") {
  Description device = with_lines();
  device.store_buffer = {64, 2};
  MemorySystem system(device);
  MemoryPath path(device, system);
  CHECK(path.store(strided(128), 0).complete == 1 + 31 * 2 + 99);
  CHECK(path.admit_store(strided(128), 500).goes_on == 500);
  CHECK(path.admit_store(strided(128), 500).goes_on == 500);
  CHECK(path.admit_store(strided(32), 500).goes_on == 500);
  CHECK(path.admit_store(strided(32), 500).goes_on == 564);
}

TEST_CASE("neighbouring lines go to all slices, one each; a slice serves one after another") {
  Slices slices({5, 8}, 32);
  for (std::uint64_t run = 0; run < 100; ++run) {
    unsigned seen = 0;
    for (std::uint64_t line = 0; line < 5; ++line) seen |= 1u << slices.slice(run * 32 + line);
    CHECK(seen == 0x1f);
  }
  CHECK(slices.serve(7, 100) == 100);
  CHECK(slices.serve(7, 100) == 104);
  CHECK(slices.serve(7, 107) == 108);
  CHECK(slices.serve(8, 107) == 107);
}

TEST_CASE("lines of any distance lie in all slices") {
  const Slices slices({96, 32}, 32);
  for (const std::uint64_t stride : {1, 2, 8, 24, 32, 96, 256, 4096, 12288}) {
    std::array<unsigned, 96> lines{};
    for (std::uint64_t i = 0; i < 9600; ++i) ++lines[slices.slice(i * stride)];
    CAPTURE(stride);
    CHECK(*std::ranges::max_element(lines) < 200);
  }
}

TEST_CASE("of the slices as many serve a part of the SMs as there are for it") {
  const auto clocks_of_lines = [](double share, std::uint64_t lines) {
    Slices slices({8, 16}, 32);  // 8 lines of a sector in 2 clocks
    slices.start_launch(share);
    Clk last = 0;
    for (std::uint64_t line = 0; line < lines; ++line) {
      slices.start_access();
      last = std::max(last, slices.serve(line % 32, 0));
    }
    return last;
  };
  CHECK(clocks_of_lines(1, 800) == 99 * 2);
  CHECK(clocks_of_lines(0.5, 400) == 99 * 2);
  CHECK(clocks_of_lines(1.0 / 16, 50) == 49 * 4);  // half of a slice
}

TEST_CASE("a slice takes its least time for a line of an access, and more for stores") {
  Description::Slices device{1, 32};
  device.request = 3;
  device.store_request = 4;
  device.store = 2;
  device.partial = 3;
  Slices slices(device, 32);
  CHECK(slices.serve(7, 100) == 100);
  CHECK(slices.serve(7, 100) == 101);  // further sectors wait for no tags
  CHECK(slices.serve(7, 100) == 102);
  CHECK(slices.serve(7, 100) == 103);
  CHECK(slices.serve(8, 100) == 104);  // the fourth took a clock more
  slices.start_access();
  CHECK(slices.serve(8, 100) == 107);  // another access
  using Kind = Slices::Kind;
  const auto next = [&](Kind behind, Kind kind, unsigned sectors, Clk from) {
    slices.start_access();
    for (unsigned i = 0; i < sectors; ++i) slices.serve(9, from, kind);
    slices.start_access();
    return slices.serve(9, from, behind) - from;
  };
  CHECK(next(Kind::store, Kind::store, 1, 1000) == 4);
  CHECK(next(Kind::store, Kind::store, 3, 2000) == 6);
  CHECK(next(Kind::store, Kind::partial_store, 1, 3000) == 4);
  CHECK(next(Kind::partial_store, Kind::partial_store, 3, 4000) == 9);
  CHECK(next(Kind::load, Kind::atomic, 1, 5000) == 3);
  CHECK(next(Kind::load, Kind::atomic, 2, 6000) == 6);
  // Loads go before stores that wait, which take their time all the same.
  CHECK(next(Kind::load, Kind::store, 3, 7000) == 0);
  CHECK(next(Kind::atomic, Kind::partial_store, 3, 8000) == 0);
  slices.start_access();
  slices.serve(9, 9000, Kind::store);
  CHECK(next(Kind::store, Kind::load, 4, 9000) == 7);
}

// docs/results/h200/l2_mix.csv: whole lines of loads delay stores by little, single words by all.
TEST_CASE("stores wait for the tags of loads, and for a part of their sectors' time") {
  Description::Slices device{1, 32};  // a sector in a clock
  device.request = 2;
  device.store_request = 2;
  device.store = 4;
  device.shared = 0.25;
  using Kind = Slices::Kind;
  // A store of a sector each 8 clocks, and `loads` of so many sectors of a line at the same time:
  // how late the last of 100 is served.
  const auto late = [&](unsigned loads, unsigned sectors) {
    Slices slices(device, 32);
    Clk served = 0;
    for (Clk clk = 0; clk < 800; clk += 8) {
      slices.start_access();
      served = slices.serve(1000, clk, Kind::store) - clk;
      for (unsigned line = 0; line < loads; ++line) {
        slices.start_access();
        for (unsigned i = 0; i < sectors; ++i) slices.serve(line, clk, Kind::load);
      }
    }
    return served;
  };
  CHECK(late(0, 0) == 0);
  CHECK(late(1, 4) == 0);    // 2 + 2 clocks of the tags; of the ports 4, and 4 + 1
  CHECK(late(3, 1) == 0);    // all of the tags
  CHECK(late(4, 1) == 198);  // two clocks more than there are
  CHECK(late(2, 4) < 20);    // eight clocks of loads, and six of stores
}

TEST_CASE("requests of all SMs wait for a slice; loads and atomics go before stores") {
  Description device = plain_device();
  device.slices = {1, 16};
  MemorySystem system(device);
  MemoryPath one(device, system, 0), other(device, system, 1);
  const Requests line = strided(0);
  one.load(line, 0, true);
  CHECK(one.load(line, 1000, true).complete == 1100);
  CHECK(other.load(line, 1000, true).complete == 1102);
  CHECK(other.store(line, 1000).complete == 1104);
  CHECK(one.atomic(line, 1000).complete == 1104 + 31);
  CHECK(one.store(line, 1000).complete == 1108);
}

TEST_CASE("what an earlier launch stored in part is counted with what completes it") {
  for (const std::uint64_t line : {128, 256}) {  // parts of 32 and of 64 B
    CAPTURE(line);
    Description device = plain_device();
    device.l2 = {1 << 14, line, 4, 100};
    device.l2->sector = line / 2;
    device.l2_fills = true;
    MemorySystem system(device);
    MemoryPath path(device, system);
    const std::uint64_t first = 1 << 20;
    system.sweep({{{first / line, 32}, 1, 1, {1, 1}}});
    CHECK(system.entered_l2().of_dirty().stored == 1);
    CHECK(system.entered_l2().of_dirty().lacking == 1);
    for (std::uint64_t at = 0; at < line / 4; at += 16)  // the part that was not whole
      path.store(strided(line, 16, first + at), 0);
    CHECK(system.entered_l2().lacking == 0);
    CHECK(system.entered_l2().of_dirty().stored == 1);
    path.store(strided(line, 4, first + line / 2), 0);  // a word of another sector
    CHECK(system.entered_l2().lacking == 0);            // which the sweep has brought whole
    CHECK(system.entered_l2().of_dirty().stored == 2);
  }
}

// docs/results/h200/l2_mix.csv: 32 or 64 bytes of a line leave in the same time, 128 take 1.4
// times.
TEST_CASE("parts of a line that leave L2 take DRAM the least of fills, or their bytes") {
  struct Case {
    double least;
    unsigned sectors;  // that are stored of each line
    Clk each;          // clocks of a line
  };
  for (const Case& each : {Case{0, 1, 20}, Case{0, 2, 20}, Case{0, 4, 40}, Case{1.5, 1, 30},
                           Case{1.5, 2, 30}, Case{1.5, 4, 40}, Case{0.5, 1, 10}}) {
    CAPTURE(each.least);
    CAPTURE(each.sectors);
    Description device = plain_device();
    device.l2 = {4 * 128, 128, 4, 100};  // four lines
    device.l2->sector = 64;
    device.dram.departure = device.dram.write_departure = 20;
    device.dram.least = each.least;
    MemorySystem system(device);
    const auto store = [&](std::uint64_t line) {
      Clk done = 0;
      for (unsigned sector = 0; sector < each.sectors; ++sector)
        done = std::max(done, system.store({0, line * 4 + sector, 0, Slices::Kind::store}).clk);
      return done;
    };
    for (std::uint64_t line = 0; line < 14; ++line) store(line);
    const Clk before = store(14);
    CHECK(store(15) - before == each.each);
  }
}

TEST_CASE("L1 keeps what is stored, where the device says so") {
  Description device = plain_device();
  device.l1 = {1 << 14, 128, 4, 30};
  device.l1->sector = 32;
  struct Case {
    bool keeps;
    unsigned bytes;  // of each lane's 32
    bool loaded_before, hits;
  };
  for (const Case& each : {Case{false, 32, true, false}, Case{true, 32, false, true},
                           Case{true, 4, false, false}, Case{true, 4, true, true}}) {
    CAPTURE(each.keeps);
    CAPTURE(each.bytes);
    CAPTURE(each.loaded_before);
    device.l1_stores = each.keeps;
    MemorySystem system(device);
    MemoryPath path(device, system);
    const Requests words = strided(32);
    path.load(words, 0, true);  // into L2
    if (each.loaded_before) path.load(words, 1000, false);
    Requests stored = words;
    for (unsigned i = 0; i < stored.count; ++i)
      stored.bytes_of[i] = static_cast<std::uint16_t>(each.bytes);
    path.store(stored, 2000);
    const Clk took = path.load(words, 4000, false).complete - 4000;
    CHECK((took < 100) == each.hits);
  }
}

TEST_CASE("L1 has a sector when stores have brought all of it, and its line meanwhile") {
  Description device = plain_device();
  device.l1 = {1 << 14, 128, 4, 30};
  device.l1->sector = 32;
  device.l1_stores = true;
  MemorySystem system(device);
  MemoryPath path(device, system);
  const Requests words = strided(32);
  path.load(words, 0, true);  // into L2
  const auto store = [&](unsigned bytes, Clk clk) {
    Requests stored = words;
    for (unsigned i = 0; i < stored.count; ++i)
      stored.bytes_of[i] = static_cast<std::uint16_t>(bytes);
    path.store(stored, clk);
  };
  const auto hits = [&](Clk clk) { return path.load(words, clk, false).complete - clk < 100; };
  store(16, 2000);
  store(16, 3000);
  CHECK(hits(4000));
  path.empty_l1();
  store(16, 5000);
  CHECK_FALSE(hits(6000));
  CHECK(hits(7000));  // that load has brought it
  path.empty_l1();
  store(4, 8000);
  store(32, 9000);
  CHECK(hits(10000));
}

TEST_CASE("a fill takes DRAM longer where its row is not open") {
  Description::Dram described{300, 4};
  described.row = 512, described.activate = 8;
  Dram dram(described, 64);
  CHECK(dram.queue(0, 0) == 0);
  CHECK(dram.queue(64, 0) == 11);       // 4 clocks are 3, and an eighth of 8
  CHECK(dram.queue(1 << 20, 0) == 14);  // another row
  CHECK(dram.queue(0, 0) == 25);        // the first one is open
  CHECK(dram.queue(0, 0, true) == 28);  // writes are gathered
  CHECK(dram.queue(0, 0, true) == 39);
  dram.clear();
  Clk whole = 0;
  for (std::uint64_t at = 0; at <= 512; at += 64) whole = dram.queue(at, 0);
  CHECK(whole == 8 * 4);
  dram.start_launch(0.5);
  dram.clear();
  CHECK(dram.queue(0, 0) == 0);
  CHECK(dram.queue(64, 0) == 22);
}

TEST_CASE("a line that is read waits for its bank, and for the end of the bank's refresh") {
  Description::Dram described{300, 0};
  described.banks = 1, described.bank = 10;
  Dram dram(described, 64);
  CHECK(dram.queue(0, 100) == 0);
  CHECK(dram.queue(1 << 20, 100) == 10);
  CHECK(dram.queue(0, 100, true) == 0);  // a write waits for nothing
  CHECK(dram.queue(128, 100, false, 2) == 20);
  CHECK(dram.queue(192, 105) == 15);  // of the line that is open by then, until 150
  CHECK(dram.queue(0, 100) == 50);
  CHECK(dram.queue(192, 100) == 60);
  dram.clear();
  CHECK(dram.queue(0, 100) == 0);
  described.bank = 0, described.refresh = 100, described.refresh_every = 1000;
  Dram refreshed(described, 64);
  CHECK(refreshed.queue(0, 40) == 60);  // bank 0 is refreshed up to clock 100
  CHECK(refreshed.queue(0, 150) == 0);
  CHECK(refreshed.queue(0, 2001) == 99);
  CHECK(refreshed.refresh(0, 40) == -5);  // 100 clocks of 1000, 50 in the mean
}

TEST_CASE("a bank gathers writes, and reads wait while it does them") {
  Description::Dram described{300, 0};
  described.banks = 1, described.bank = 10;
  for (const unsigned gather : {0u, 4u}) {
    described.gather = gather;
    Dram dram(described, 64);
    CHECK(dram.queue(0, 100, true, 2) == 0);
    CHECK(dram.queue(128, 100) == 0);
    CHECK(dram.queue(256, 200, true, 2) == 0);
    CHECK(dram.queue(384, 200) == (gather > 0 ? 40 : 0));
    CHECK(dram.queue(512, 300, true) == 0);
    CHECK(dram.queue(640, 300) == 0);
  }
}

// Lines that come one by one to banks that chance chooses: bank * load / (2 (1 - load)) clocks each
// (Pollaczek and Khinchine, for equal times of service), and as many where a part of the SMs is
// seen.
TEST_CASE("reads wait for banks as for queues that chance fills") {
  Description::Dram described{300, 0};
  described.banks = 2048, described.bank = 50;
  for (const double share : {1.0, 0.125})
    for (const double load : {0.25, 0.5, 0.75}) {
      CAPTURE(share);
      CAPTURE(load);
      Dram dram(described, 64);
      dram.start_launch(share);
      const double apart = described.bank / (load * described.banks * share);
      double sum = 0;
      std::mt19937 random(7);
      constexpr unsigned kLines = 200000;
      for (unsigned i = 0; i < kLines; ++i)
        sum += static_cast<double>(dram.queue(128ull * random(), static_cast<Clk>(i * apart)));
      const double expected = described.bank * load / (2 * (1 - load));
      CHECK(sum / kLines == doctest::Approx(expected).epsilon(0.15));
    }
}

TEST_CASE("what stores bring a part of a sector is filled from DRAM before it leaves") {
  struct Bytes final : Listener {
    double read = 0, written = 0;
    void transfers(Clk, unsigned, bool write, double bytes) override {
      (write ? written : read) += bytes;
    }
  };
  Description device = plain_device();
  device.l2 = {1 << 12, 128, 4, 100};  // 32 lines
  device.l2->sector = 64;
  const std::uint64_t first = 1 << 20, others = 1 << 21;
  // Of 32 lines: what a warp does, and what is read and written when 32 others drive them out.
  struct Case {
    const char* what;
    bool fills;
    std::vector<unsigned> stored;  // bytes of each lane, side by side
    bool loaded;
    double read, written;
  };
  for (const Case& each :
       {Case{"a word", true, {4}, false, 32 * 32, 32 * 32},
        Case{"a word that leaves as it is", false, {4}, false, 0, 32 * 32},
        Case{"half a part and the other half", true, {16, 16}, false, 0, 32 * 32},
        Case{"three quarters of a part", true, {16, 0, 8}, false, 32 * 32, 32 * 32},
        Case{"a word, and then all is loaded", true, {4}, true, 32 * 64, 32 * 32},
        Case{"nothing but loads", true, {}, true, 32 * 64, 0}}) {
    CAPTURE(each.what);
    device.l2_fills = each.fills;
    MemorySystem system(device);
    MemoryPath path(device, system);
    Bytes bytes;
    system.set_listener(&bytes);
    std::uint64_t at = first;
    for (const unsigned stored : each.stored) {
      if (stored > 0) path.store(strided(128, stored, at), 0);
      at += stored;
    }
    if (each.loaded) path.load(strided(128, 4, first), 1000, true);
    path.load(strided(128, 4, others), 5000, true);
    CHECK(bytes.read - 32 * 64 == each.read);
    CHECK(bytes.written == each.written);
  }
}

TEST_CASE("a slice is as far from every SM as the device says") {
  Description device = plain_device();
  device.slices = {2, 1024, {-5, 7}};
  MemorySystem system(device);
  const Slices slices(*device.slices, 32);
  for (std::uint64_t line = 0; line < 8; ++line) system.load({0, line * 4, 0});
  Clk clk = 10000;
  for (const unsigned sm : {0u, 1u})
    for (std::uint64_t line = 0; line < 8; ++line, clk += 100)
      CHECK(system.load({sm, line * 4, clk}).clk - clk == 99 + (slices.slice(line) == 0 ? -5 : 7));
}

TEST_CASE("bytes that cross between the partitions of L2 wait for one another, by direction") {
  Description device = plain_device();
  device.partitions = {{0, 1}, {0, 50, 50, 0}, 4, false, 8};
  device.l2->side_bits = 1 << 12;
  MemorySystem system(device);
  const auto load = [&](unsigned sm, std::uint64_t address, Clk clk) {
    return system.load({sm, address / 32, clk}).clk - clk;
  };
  for (const std::uint64_t address : {0, 4096}) load(0, address, 0);
  CHECK(load(0, 0, 1000) == 99);
  CHECK(load(0, 0, 1000) == 99);
  CHECK(load(1, 0, 1000) == 149);
  CHECK(load(1, 0, 1000) == 153);
  CHECK(load(0, 4096, 1000) == 149);
}

TEST_CASE("DRAM takes its own time for writes, and more where it turns") {
  Dram dram({300, 4, 3, 2});
  CHECK(dram.queue(0, 100) == 0);
  CHECK(dram.queue(0, 100) == 4);
  CHECK(dram.queue(0, 100, true) == 10);
  CHECK(dram.queue(0, 100, true) == 13);
  CHECK(dram.queue(0, 100) == 18);
  CHECK(dram.drained() == 122);
  dram.start_launch(0.5);
  CHECK(dram.queue(0, 200, true) == 4);
  CHECK(dram.queue(0, 200, true) == 10);
}

TEST_CASE("code that is fetched ahead comes as fast as the level hands it over") {
  Description device = plain_device();
  auto& code = device.instruction.emplace();
  code.latency = 200;
  code.bytes = 16;
  code.fetch = 128;
  code.prefetch = 128;
  code.bandwidth = 2;  // a line of 128 B in 64 clocks
  device.instruction->level[0] = Description::Cache{1024, 128, 2, 0};
  MemorySystem system(device);
  InstructionFetch fetch(code, system, 0, 1);
  CHECK(fetch.fetch(0, 0, 0) == 200);
  CHECK(fetch.fetch(0, 8, 210) == 264);   // asked for with the first, a line later
  CHECK(fetch.fetch(0, 16, 300) == 410);  // asked for at 210
  CHECK(fetch.fetch(0, 24, 700) == 700);  // asked for at 300, long there
}

TEST_CASE("samples_by_order_of_jobs: the port beyond the caches of code begins anew in a launch") {
  Description device = plain_device();
  Description::Instruction code;
  code.bytes = 16;
  code.fetch = 128;
  code.latency = 200;
  code.bandwidth = 2;
  device.instruction = code;
  MemorySystem system(device);
  InstructionFetch fetch(code, system, 0, 1);
  const auto first = [&](std::uint64_t instruction, Clk clk) {
    fetch.start_warp(0);
    return fetch.fetch(0, instruction, clk) - clk;
  };
  const Clk fresh = first(0, 0);
  CHECK(fresh == 200);
  CHECK(first(800, 1000000) == fresh);  // the port is busy at 1,000,064
  system.start_job();
  fetch.start_launch();
  CHECK(first(1600, 0) == fresh);
}

TEST_CASE("a launch takes its overhead more, and no clock inside of it moves") {
  const std::string plain = device_text("k20"),
                    slow = plain.substr(0, plain.rfind('}')) +
                           "launch = { overhead = { \"2 us\", assumed = \"a test\" } },\n}\n";
  const auto seconds = [](const std::string& device) {
    const auto gpu = open_text(device);
    Probe probe;
    probe.keep_row_each(1, 32);
    return probe.run_or_fail(*gpu, probe_ptx(store_row(32, "1"))).seconds;
  };
  CHECK(seconds(slow) - seconds(plain) == doctest::Approx(2e-6).epsilon(1e-3));
  // Its one store is under way for more than 100 clocks when the warp exits.
  const double clock = 1 / open_text(plain)->info().clock_hz;
  const auto after = [&](double clocks) {
    return seconds(
        replaced(slow, "launch = {",
                 fmt::format("launch = {{ after_accesses = \"{} ns\",", clocks * clock * 1e9)));
  };
  const double overhead = 2e-6 / clock;
  const double saved = seconds(slow) - after(overhead - 100);
  CHECK(saved == doctest::Approx(100 * clock).epsilon(1e-2));
  const double all = seconds(slow) - after(overhead - 1400);
  CHECK(all > saved);
  CHECK(all < 1000 * clock);  // the warp's exit remains
}

TEST_CASE("with a queue each arrival at a barrier takes its turn") {
  // Clocks between the first and the last read, with n barriers in between.
  const auto clocks = [](const std::string& device, unsigned barriers, unsigned threads) {
    const auto gpu = open_text(device);
    Probe probe;
    probe.keep_row_each(1, threads);
    std::string body = "  mov.u64 %rd3, %clock64;\n";
    for (unsigned i = 0; i < barriers; ++i) body += "  bar.sync 0;\n";
    body += "  mov.u64 %rd4, %clock64;\n  sub.u64 %rd5, %rd4, %rd3;\n" + store_row(threads, "%rd5");
    return static_cast<Clk>(probe.run_or_fail(*gpu, probe_ptx(body)).results.at(0));
  };
  const auto device = [](const std::string& barrier) {
    return replaced(device_text("k20"), "latency = { \"16 clocks\", assumed = \"no paper gives",
                    barrier + " latency = { \"16 clocks\", assumed = \"no paper gives");
  };
  const std::string at_once = device("per_warp = \"2 clocks\","),
                    queue = device("per_warp = \"2 clocks\", queue = 4,");
  for (const unsigned n : {2u, 3u, 10u}) {
    CHECK(clocks(at_once, n, 32) - clocks(at_once, 1, 32) == 16 * (n - 1));
    CHECK(clocks(queue, n, 32) - clocks(queue, 1, 32) == 16 * (n - 1));
    // Eight warps: 7 * 2 clocks more between two barriers, whatever their issue takes.
    CHECK(clocks(queue, n, 256) - clocks(queue, 1, 256) == 30 * (n - 1));
  }
}
