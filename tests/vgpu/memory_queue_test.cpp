// The half-warp rules of the first devices, an SM's queue to the memory, and samples of a grid.
#include "runtime/device/vgpu/memory/memory_queue.h"

#include <bit>

#include "runtime/device/vgpu/description/base_file.h"
#include "runtime/device/vgpu/timing/issue.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::vgpu::timing;

namespace {

constexpr exec::Mask kAll = 0xffffffff;

/// Lane k accesses `base + k * stride`.
exec::Lanes strided(std::uint64_t stride, std::uint64_t base = 1 << 20) {
  exec::Lanes lanes;
  for (unsigned i = 0; i < exec::kWarpSize; ++i) lanes[i] = base + i * stride;
  return lanes;
}

Requests requests_of(CoalescingRule rule, const exec::Lanes& lanes, unsigned bytes,
                     exec::Mask active = kAll) {
  Requests out;
  Coalescer(128, rule).coalesce(active, lanes, out, bytes);
  return out;
}

unsigned total(const Requests& requests, const auto& of) {
  unsigned sum = 0;
  for (unsigned i = 0; i < requests.count; ++i) sum += of[i];
  return sum;
}

/// `count` blocks of `threads` that each load `loads` times, `stride` bytes between lanes, and wait
/// for each load.
std::string loads_ptx(unsigned loads, unsigned stride) {
  std::string body = fmt::format(
      "  mul.lo.u32 %r3, %r1, {};\n  cvt.u64.u32 %rd2, %r3;\n  add.s64 %rd2, %rd1, %rd2;\n"
      "  mov.u32 %r4, 0;\nagain:\n  ld.global.u32 %r5, [%rd2];\n  add.u32 %r6, %r6, %r5;\n"
      "  add.u32 %r4, %r4, 1;\n  setp.lt.u32 %p1, %r4, {};\n  @%p1 bra again;\n",
      stride, loads);
  return probe_ptx(body);
}

struct Timed {
  double clocks = 0;
  std::uint64_t blocks_run = 0;
};

Timed timed(const std::string& device, std::uint32_t blocks, std::uint32_t threads, unsigned loads,
            unsigned stride, bool sampled) {
  const auto gpu = open_text(device);
  Probe probe;
  probe.keep_row_each(blocks, threads);
  probe.program.buffers.clear();
  probe.launch().sampled = sampled;
  probe.launch().whole_below = 0;
  // The rows are the memory that is read.
  probe.launch().record_extents = {std::max<std::uint32_t>(blocks, 4096), threads};
  const Repetition run = probe.run_or_fail(*gpu, loads_ptx(loads, stride));
  return {run.seconds * gpu->info().clock_hz, run.blocks_run};
}

}  // namespace

TEST_CASE("what a warp's access becomes on compute capability 1.0 and 1.3") {
  using Rule = CoalescingRule;
  struct Row {
    const char* what;
    exec::Lanes lanes;
    unsigned bytes;
    exec::Mask active;
    unsigned cc10;
    bool whole10;
    unsigned cc13;
    bool whole13;
  };
  exec::Lanes swapped = strided(4);
  std::swap(swapped[0], swapped[1]);
  for (const Row& row : {
           Row{"neighbouring words", strided(4), 4, kAll, 1, true, 1, true},
           Row{"words of 8 bytes", strided(8), 8, kAll, 2, true, 2, true},
           Row{"words of 16 bytes", strided(16), 16, kAll, 4, true, 4, true},
           Row{"lanes missing", strided(4), 4, 0x0f0f00f1, 1, true, 1, true},
           Row{"one half", strided(4), 4, 0xffff, 1, true, 1, true},
           Row{"two lanes swapped", swapped, 4, kAll, 16 + 1, false, 1, true},
           Row{"off by one word", strided(4, (1 << 20) + 4), 4, kAll, 32, false, 3, false},
           Row{"every other word", strided(8), 4, kAll, 32, false, 2, true},
           Row{"all the same word", strided(0), 4, kAll, 32, false, 1, true},
           Row{"a segment each", strided(128), 4, kAll, 32, false, 32, false},
           Row{"bytes, three apart", strided(3), 1, kAll, 32, false, 4, false},
           Row{"a lane alone", strided(4), 4, 1, 1, true, 1, true},
       }) {
    CAPTURE(row.what);
    const Requests old = requests_of(Rule::in_order, row.lanes, row.bytes, row.active);
    CHECK(old.count == row.cc10);
    CHECK(old.coalesced == row.whole10);
    const Requests later = requests_of(Rule::segments, row.lanes, row.bytes, row.active);
    CHECK(later.count == row.cc13);
    CHECK(later.coalesced == row.whole13);
    const auto lanes = static_cast<unsigned>(std::popcount(row.active));
    for (const Requests& each : {old, later}) {
      CHECK(each.lanes == lanes);
      CHECK(total(each, each.lanes_of) == lanes);
      CHECK(total(each, each.bytes_of) <= lanes * row.bytes);
    }
  }
}

TEST_CASE("transactions depart by their kind, or when their bytes have passed") {
  MemoryQueue queue({4, 10, 64});
  queue.start_launch(1);
  CHECK(queue.depart(100, true, 128) == 100);
  CHECK(queue.depart(100, true, 128) == 104);
  CHECK(queue.depart(100, false, 4) == 108);
  CHECK(queue.depart(100, false, 4) == 118);
  CHECK(queue.depart(127, true, 128) == 128);
  CHECK(queue.depart(140, true, 128) == 140);
  queue.start_launch(16);  // 128 B take 32 clocks of a sixteenth of 64 B a clock
  CHECK(queue.depart(0, true, 128) == 0);
  CHECK(queue.depart(0, true, 64) == 32);
  CHECK(queue.depart(0, false, 4) == 48);
  CHECK(queue.depart(0, false, 4) == 58);
}

TEST_CASE("an SM issues an instruction every issue_interval clocks, of any unit") {
  IssueSlots slots(1, 2, 0, 0, 4);
  CHECK(slots.reserve(0, 0, 4, 0) == 0);
  CHECK(slots.reserve(1, 1, 1, 0) == 4);
  CHECK(slots.reserve(2, 0, 4, 5) == 8);
  CHECK(slots.reserve(3, 1, 2.5, 9, true, true) == 12);  // beside what follows
  CHECK(slots.reserve(3, 1, 1, 9) == 14);
}

TEST_CASE("fx5600: a warp's loads take what Hong and Kim's memory model says") {
  const std::string fx5600 = device_text("fx5600");
  const auto load = [&](std::uint32_t blocks, std::uint32_t threads, unsigned stride) {
    return (timed(fx5600, blocks, threads, 60, stride, false).clocks -
            timed(fx5600, blocks, threads, 20, stride, false).clocks) /
           40;
  };
  // The counter's addition follows the one that waits for the load; the test, the branch and what
  // comes after it wait for one another.
  const double loop = 4 + 3 * 24;
  CHECK(load(1, 32, 4) == doctest::Approx(420 + loop).epsilon(0.01));
  CHECK(load(1, 32, 128) == doctest::Approx(420 + 31 * 10 + loop).epsilon(0.01));
  // A warp after another, 32 departures apart; the bandwidth of 16 SMs with 8 warps each.
  CHECK(load(1, 512, 128) == doctest::Approx(16 * 320).epsilon(0.01));
  CHECK(load(16, 512, 4) == doctest::Approx(16 * 128 * 16 / (76.8 / 1.35)).epsilon(0.01));
}

TEST_CASE("a sample of a grid takes what the whole grid takes") {
  struct Row {
    const char* device;
    std::uint32_t blocks, threads;
    unsigned loads, stride;
    double within;
  };
  for (const Row& row : {
           Row{"fx5600", 16 * 30, 128, 20, 128, 0.01},
           Row{"fx5600", 16 * 31 + 5, 64, 20, 4, 0.01},
           Row{"8800gt", 14 * 40, 192, 10, 64, 0.01},
           Row{"gtx280", 30 * 40, 128, 10, 32, 0.03},
           Row{"k20", 13 * 8 * 80, 256, 10, 4, 0.05},
       }) {
    CAPTURE(row.device);
    const std::string own = device_text(row.device), base = "fx5600";
    const bool whole = own.find("base = \"" + base + "\"") == std::string::npos;
    const std::string text = whole ? own : with_base(own, device_text(base));
    const Timed all = timed(text, row.blocks, row.threads, row.loads, row.stride, false);
    const Timed some = timed(text, row.blocks, row.threads, row.loads, row.stride, true);
    CHECK(all.blocks_run == 0);
    CHECK(some.blocks_run > 0);
    CHECK(some.blocks_run < row.blocks / 4);
    CHECK(some.clocks == doctest::Approx(all.clocks).epsilon(row.within));
  }
}

TEST_CASE("of a grid of few waves an SM runs all of its share") {
  const std::string text = device_text("fx5600");
  const Timed all = timed(text, 16 * 8, 128, 10, 4, false),
              some = timed(text, 16 * 8, 128, 10, 4, true);
  CHECK(some.blocks_run == 8);
  CHECK(some.clocks == doctest::Approx(all.clocks).epsilon(0.005));
}
