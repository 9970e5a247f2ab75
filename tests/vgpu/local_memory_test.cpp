// Local memory in L1: where its words lie, what L1 keeps of a store, what a thread waits for.
#include "runtime/device/vgpu/timing/local_memory.h"

#include <doctest/doctest.h>

#include "runtime/device/vgpu/memory/memory_path.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

constexpr exec::Mask kWholeWarp = 0xffffffff;

exec::Lanes placed(const LocalMemory& memory, unsigned slot, unsigned part,
                   const exec::Lanes& addresses) {
  exec::Effect effect;
  effect.active = kWholeWarp;
  effect.addresses = &addresses;
  exec::Lanes out{};
  memory.place(effect, slot, part, out);
  return out;
}

Requests sectors_of(const exec::Lanes& addresses) {
  Requests requests;
  Coalescer(32).coalesce(kWholeWarp, addresses, requests);
  return requests;
}

/// 100 clocks to L2, 30 to L1.
Description device_with_l1() {
  Description device;
  device.clock_hz = 1e9;
  device.sm.count = 2;
  device.coalescer_line = 32;
  device.lsu = {1, 1, 0, 0};
  device.l1 = Description::Cache{1 << 16, 128, 4, 30};
  device.l1->sector = 32;
  device.l2 = {1 << 20, 128, 4, 100};
  device.dram = {300, 0};
  return device;
}

}  // namespace

TEST_CASE("a word of all lanes is a line; other words, warps and SMs have lines of their own") {
  LocalMemory memory(1, 64);
  memory.start_block(32 * 40);
  exec::Lanes same{}, apart{};
  for (unsigned lane = 0; lane < 32; ++lane) apart[lane] = lane % 4 * 4;
  same.fill(8);
  const exec::Lanes line = placed(memory, 3, 0, same);
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(line[lane] == line[0] + lane * 4);
  CHECK(line[0] % 128 == 0);
  CHECK(placed(memory, 3, 1, same)[0] == line[0] + 128);
  CHECK(placed(memory, 4, 0, same)[0] == line[0] + 10 * 128);
  same.fill(9);
  CHECK(placed(memory, 3, 0, same)[5] == line[5] + 1);
  // Four words of a lane: each sector holds eight lanes of one word.
  CHECK(sectors_of(line).count == 4);
  CHECK(sectors_of(placed(memory, 3, 0, apart)).count == 16);
  LocalMemory other(2, 64);
  other.start_block(32 * 40);
  same.fill(8);
  CHECK(placed(other, 3, 0, same)[0] == line[0] + 64 * 10 * 128);
}

TEST_CASE("an access of more than a word is one of each word") {
  CHECK(LocalMemory::parts(1) == 1);
  CHECK(LocalMemory::parts(4) == 1);
  CHECK(LocalMemory::parts(8) == 2);
  CHECK(LocalMemory::parts(16) == 4);
}

TEST_CASE("L1 keeps what is stored to local memory, also of one lane, and L2 has it too") {
  const Description device = device_with_l1();
  exec::Lanes whole{}, part{};
  for (unsigned lane = 0; lane < 32; ++lane) whole[lane] = (1 << 20) + lane * 4;
  for (unsigned lane = 0; lane < 32; ++lane) part[lane] = (1 << 20) + lane * 32;
  struct Row {
    const exec::Lanes& addresses;
    bool keeps;
    Clk clocks;
  };
  for (const Row& row : {Row{whole, true, 30}, Row{whole, false, 100}, Row{part, true, 30}}) {
    MemorySystem system(device);
    MemoryPath path(device, system);
    const Requests requests = sectors_of(row.addresses);
    path.store(requests, 0, row.keeps);
    CHECK(path.load(requests, 10000, false).complete - 10000 == row.clocks);
    CHECK(path.load(requests, 20000, true).complete - 20000 == 100);
  }
}

TEST_CASE("a store that L1 keeps leaves the sectors beside it as they were") {
  const Description device = device_with_l1();
  MemorySystem system(device);
  MemoryPath path(device, system);
  exec::Lanes line{}, sector{};
  for (unsigned lane = 0; lane < 32; ++lane) line[lane] = (1 << 20) + lane * 4;
  for (unsigned lane = 0; lane < 32; ++lane) sector[lane] = (1 << 20) + lane % 8 * 4;
  path.load(sectors_of(line), 0, false);
  path.store(sectors_of(sector), 1000, true);
  CHECK(path.load(sectors_of(line), 10000, false).complete - 10000 == 30);
  path.store(sectors_of(sector), 20000, false);
  CHECK(path.load(sectors_of(line), 30000, false).complete - 30000 == 100);
}

namespace {

/// Clocks of a chain of local loads and stores by a warp, for each pair; the code is there.
Clk of_update(const std::string& device) {
  const auto gpu = open_text(device);
  Probe probe;
  probe.keep_row_each(1, 32);
  std::string body = "  .local .align 16 .b8 words[64];\n  mov.u32 %r5, 0;\n";
  body += "  st.local.u32 [words], %r5;\n  mov.u32 %r6, 0;\nagain:\n";
  body += "  mov.u64 %rd3, %clock64;\n";
  for (unsigned i = 0; i < 8; ++i)
    body += "  ld.local.u32 %r5, [words];\n  add.u32 %r5, %r5, 1;\n  st.local.u32 [words], %r5;\n";
  body += "  mov.u64 %rd4, %clock64;\n  add.u32 %r6, %r6, 1;\n  setp.lt.u32 %p1, %r6, 2;\n";
  body += "  @%p1 bra again;\n  sub.u64 %rd5, %rd4, %rd3;\n" + store_row(32, "%rd5");
  return static_cast<Clk>(probe.run_or_fail(*gpu, probe_ptx(body)).results.at(31)) / 8;
}

}  // namespace

TEST_CASE("a thread waits for its local memory as long as for L1, where L1 holds it") {
  const std::string text = device_text("hopper");
  const Clk held = of_update(text),
            absent = of_update(
                replaced(text, "[\"local\"] = { \"through\",", "[\"local\"] = { \"absent\","));
  CHECK(held >= 32 + 5);
  CHECK(held <= 32 + 20);
  CHECK(absent >= 271 + 5);
}

TEST_CASE("local memory is zeros for each block, also where the one before has written to it") {
  exec::ZeroedBytes bytes;
  bytes.assign(64);
  const std::uint8_t* const first = bytes.data();
  bytes.data()[63] = 7;
  bytes.assign(64);
  CHECK(bytes.data() == first);
  CHECK(bytes.data()[63] == 0);
  bytes.assign(4096);
  CHECK(bytes.size() == 4096);
  CHECK(bytes.data()[4095] == 0);
}
