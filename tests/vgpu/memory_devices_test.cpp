// Chases by hand-written PTX on the devices of Wong 2010 and Mei 2014: the latencies and the steps
// that the papers print.
#include <sys/resource.h>

#include <algorithm>
#include <map>

#include "chase_support.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

constexpr std::uint64_t kKb = 1024, kMb = 1024 * kKb;

/// A shipped device without noise, with what its clock reads add to an access.
struct Quiet {
  Quiet(const std::string& name, double clocks) : overhead(clocks) {
    std::string text = device_text(name);
    const std::size_t noise = text.find("\n  noise = {");
    if (noise != std::string::npos) text.erase(noise, text.find("\n  },", noise) + 5 - noise);
    gpu = open_text(text);
  }
  std::vector<double> latencies(const PtxChase& chase) const {
    std::vector<double> result = raw_latencies(*gpu, chase);
    for (double& latency : result) latency -= overhead;
    return result;
  }
  /// How many accesses took how long.
  std::map<double, unsigned> histogram(const PtxChase& chase) const {
    std::map<double, unsigned> result;
    for (const double latency : latencies(chase)) ++result[latency];
    return result;
  }
  double mean(const PtxChase& chase) const {
    const auto all = latencies(chase);
    double sum = 0;
    for (const double latency : all) sum += latency;
    return sum / static_cast<double>(all.size());
  }
  std::unique_ptr<Backend> gpu;
  double overhead;
};

PtxChase strided(std::uint64_t bytes, std::uint64_t stride,
                 PtxChase::Space space = PtxChase::Space::global) {
  PtxChase chase;
  chase.space = space;
  chase.bytes = bytes;
  chase.stride = stride;
  return chase;
}

using Counts = std::map<double, unsigned>;

}  // namespace

TEST_CASE("fig4: the staircase of Wong's Fig. 4") {
  const Quiet fig4("fig4", 5);
  for (std::uint64_t lines = 1; lines <= 24; ++lines) {
    CAPTURE(lines);
    // Beyond 12 lines each further one makes a set of 4 overflow, until all do at 16.
    const auto over =
        static_cast<unsigned>(lines <= 12 ? 0 : std::min<std::uint64_t>(lines - 12, 4));
    unsigned missed = 0;
    for (unsigned set = 0; set < over; ++set)
      missed += static_cast<unsigned>((lines - set + 3) / 4);
    Counts expected;
    if (lines != missed) expected[20] = static_cast<unsigned>(lines) - missed;
    if (missed != 0) expected[100] = missed;
    CHECK(fig4.histogram(strided(lines * 32, 32)) == expected);
  }
}

TEST_CASE("gtx280: global memory without a cache, and two TLBs (Figs. 13 to 15)") {
  const Quiet gtx280("gtx280", 29);
  CHECK(gtx280.mean(strided(4 * kKb, 64)) == doctest::Approx(440).epsilon(0.005));
  CHECK(gtx280.mean(strided(8 * kMb, 512 * kKb)) == doctest::Approx(440).epsilon(0.005));
  CHECK(gtx280.mean(strided(8 * kMb + 512 * kKb, 512 * kKb)) ==
        doctest::Approx(487).epsilon(0.005));
  CHECK(gtx280.mean(strided(32 * kMb, 512 * kKb)) == doctest::Approx(487).epsilon(0.005));
  CHECK(gtx280.mean(strided(36 * kMb, 512 * kKb)) == doctest::Approx(698).epsilon(0.005));
  // Each 512 KB more makes one of 8 sets overflow: 9 places miss.
  CHECK(gtx280.mean(strided(32 * kMb + 512 * kKb, 512 * kKb)) ==
        doctest::Approx((9 * 698 + 56 * 487) / 65.0).epsilon(0.005));
}

TEST_CASE("gtx280: the second TLB's lines are of 4 KB (Fig. 15)") {
  const Quiet gtx280("gtx280", 29);
  const auto mean = [&](std::uint64_t offset) {
    PtxChase chase;
    chase.bytes = 42 * kMb;
    for (std::uint64_t i = 0; i < 20; ++i)
      chase.list.push_back(i * 2 * kMb + (i < 10 ? 0 : offset));
    return gtx280.mean(chase);
  };
  CHECK(mean(0) == doctest::Approx(698).epsilon(0.005));
  CHECK(mean(4 * kKb - 4) == doctest::Approx(698).epsilon(0.005));
  CHECK(mean(4 * kKb) == doctest::Approx(487).epsilon(0.005));
}

TEST_CASE("gtx280: texture caches and TLBs (Figs. 10 to 12, 16)") {
  const Quiet gtx280("gtx280", 29);
  const auto mean = [&](std::uint64_t bytes, std::uint64_t stride) {
    return gtx280.mean(strided(bytes, stride, PtxChase::Space::texture));
  };
  CHECK(mean(5 * kKb, 8) == doctest::Approx(261).epsilon(0.005));
  CHECK(mean(5 * kKb + 256, 32) == doctest::Approx(371).epsilon(0.005));
  CHECK(mean(256 * kKb, 256) == doctest::Approx(371).epsilon(0.005));
  CHECK(mean(288 * kKb, 256) == doctest::Approx(497).epsilon(0.005));
  // A step of L1: 21 lines of one of the 8 sets miss.
  CHECK(mean(5 * kKb + 32, 32) == doctest::Approx((21 * 371 + 140 * 261) / 161.0).epsilon(0.005));
  CHECK(mean(8 * kMb, 256 * kKb) == doctest::Approx(497).epsilon(0.005));
  CHECK(mean(16 * kMb, 256 * kKb) == doctest::Approx((497 + 544) / 2.0).epsilon(0.005));
  CHECK(mean(18 * kMb, 512 * kKb) == doctest::Approx(753).epsilon(0.005));
  // 20 lines of one set of L1 hide what the TLB does.
  CHECK(mean(10 * kMb, 512 * kKb) == doctest::Approx(261).epsilon(0.005));
}

TEST_CASE("gtx280: three levels of constant caches (Figs. 17 and 18)") {
  const Quiet gtx280("gtx280", 29);
  const auto mean = [&](std::uint64_t bytes, std::uint64_t stride) {
    return gtx280.mean(strided(bytes, stride, PtxChase::Space::constant));
  };
  CHECK(mean(2 * kKb, 16) == doctest::Approx(8 + 24).epsilon(0.03));
  CHECK(mean(2 * kKb + 512, 64) == doctest::Approx(81 + 24).epsilon(0.01));
  CHECK(mean(8 * kKb, 256) == doctest::Approx(81 + 24).epsilon(0.01));
  CHECK(mean(10 * kKb, 256) == doctest::Approx(220 + 24).epsilon(0.01));
  CHECK(mean(36 * kKb, 256) == doctest::Approx(476 + 24).epsilon(0.01));
}

TEST_CASE("gtx560ti: the latencies of Table 3 with L1 and without it") {
  const Quiet fermi("gtx560ti", 23);
  const auto at_l2 = [&](std::uint64_t bytes, std::uint64_t stride, const char* cache) {
    PtxChase chase = strided(bytes, stride);
    chase.cache = cache;
    return fermi.histogram(chase);
  };
  CHECK(at_l2(8 * kKb, 128, "") == Counts{{116, 64}});
  CHECK(at_l2(8 * kKb, 128, ".cg") == Counts{{371, 64}});
  // 2 MB apart is one set of L1.
  CHECK(at_l2(32 * kMb, 2 * kMb, ".cg") == Counts{{371, 16}});
  CHECK(at_l2(34 * kMb, 2 * kMb, ".cg") == Counts{{398, 17}});
  CHECK(at_l2(160 * kMb, 2 * kMb, ".cg") == Counts{{482, 80}});
  const auto l1 = fermi.histogram(strided(128 * kMb, 2 * kMb));
  CHECK(l1.rbegin()->first == 404);
  CHECK(fermi.histogram(strided(160 * kMb, 2 * kMb)).rbegin()->first == 488);
}

TEST_CASE("gtx560ti: first touches in known and in unknown pages are patterns 4 and 5") {
  const Quiet fermi("gtx560ti", 23);
  for (const auto& [cache, in_page, beyond] :
       {std::tuple{".cg", 639, 1245}, std::tuple{"", 654, 1260}}) {
    PtxChase chase;
    chase.cache = cache;
    chase.bytes = 400 * kMb;
    // L2 is filled with the beginning of the array, its first MB.
    for (std::uint64_t i = 0; i < 20; ++i) chase.list.push_back(kMb + i * 512);
    for (std::uint64_t i = 1; i < 20; ++i) chase.list.push_back(200 * kMb + i * 2 * kMb);
    chase.before = 1;
    chase.accesses = 38;
    Counts expected = {{in_page, 19}, {beyond, 19}};
    CHECK(fermi.histogram(chase) == expected);
  }
}

TEST_CASE("gtx560ti: L1 keeps 16 KB, and is not LRU beyond (Figs. 8 and 9)") {
  const Quiet fermi("gtx560ti", 23);
  CHECK(fermi.histogram(strided(16 * kKb, 128)) == Counts{{116, 128}});
  const auto misses = [&](std::uint64_t bytes) {
    PtxChase chase = strided(bytes, 128);
    chase.accesses = 3000;
    const auto counts = fermi.histogram(chase);
    return 1 - counts.at(116) / 3000.0;
  };
  // One set of 32 overflows: 5 of 129 lines, of which LRU would miss all.
  CHECK(misses(16 * kKb + 128) > 0);
  CHECK(misses(16 * kKb + 128) < 0.8 * 5 / 129);
  CHECK(misses(20 * kKb) == doctest::Approx(0.40).epsilon(0.1));
}

TEST_CASE("gtx780: the latencies of Table 3, pattern 6 outside of the page window") {
  const Quiet kepler("gtx780", 17);
  const auto counts = [&](std::uint64_t bytes, std::uint64_t stride) {
    return kepler.histogram(strided(bytes, stride));
  };
  CHECK(counts(8 * kKb, 128) == Counts{{230, 64}});
  CHECK(counts(32 * kMb, 2 * kMb) == Counts{{230, 16}});
  CHECK(counts(34 * kMb, 2 * kMb) == Counts{{236, 17}});
  CHECK(counts(160 * kMb, 2 * kMb) == Counts{{289, 80}});
  PtxChase chase;
  chase.bytes = 1600 * kMb;
  chase.list = {2 * kMb,   2 * kMb + 640, 200 * kMb,     512 * kMb,
                514 * kMb, 1500 * kMb,    2 * kMb + 1280};
  chase.before = 1;
  chase.accesses = 5;
  // Within the page; another page; the window's last; outside, twice.
  CHECK(kepler.latencies(chase) == std::vector<double>{371, 734, 734, 1000, 1000});
}

TEST_CASE("Fermi and Kepler: an L2 TLB of unequal sets (Figs. 10 and 11)") {
  for (const auto& [name, overhead, hit, l2, walk] :
       {std::tuple{"gtx560ti", 23, 371, 398, 482}, std::tuple{"gtx780", 17, 230, 236, 289}}) {
    const std::string shown = name;
    CAPTURE(shown);
    const Quiet device(name, overhead);
    const auto misses = [&, cold = walk](std::uint64_t mb) {
      PtxChase chase = strided(mb * kMb, 2 * kMb);
      chase.cache = ".cg";
      const auto counts = device.histogram(chase);
      const auto found = counts.find(cold);
      return found == counts.end() ? 0u : found->second;
    };
    CHECK(misses(130) == 0);
    CHECK(misses(132) == 18);  // all of the large set of 17, and one more
    for (unsigned more = 1; more <= 6; ++more) CHECK(misses(132 + 2 * more) == 18 + 9 * more);
  }
}

TEST_CASE("Fermi and Kepler: the first texture cache, sets by bits 7 and 8 (Fig. 12, Table 5)") {
  for (const auto& [name, overhead, hit, miss] :
       {std::tuple{"gtx560ti", 23, 240, 470}, std::tuple{"gtx780", 17, 110, 220}}) {
    const std::string shown = name;
    CAPTURE(shown);
    const Quiet device(name, overhead);
    const auto counts = [&](std::uint64_t bytes) {
      return device.histogram(strided(bytes, 32, PtxChase::Space::texture));
    };
    CHECK(counts(12 * kKb) == Counts{{hit, 384}});
    // Four successive lines are of one set, which has 96.
    CHECK(counts(12 * kKb + 32) == Counts{{hit, 3 * 96}, {miss, 97}});
    CHECK(counts(12 * kKb + 128) == Counts{{hit, 3 * 96}, {miss, 100}});
    CHECK(counts(12 * kKb + 160) == Counts{{hit, 2 * 96}, {miss, 197}});
    CHECK(counts(12 * kKb + 512) == Counts{{miss, 400}});
  }
}

TEST_CASE("strided gigabytes cost the host the pages that are touched") {
  const auto resident_kb = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const Quiet kepler("gtx780", 17);
  const auto before = resident_kb();
  CHECK(kepler.latencies(strided(2048 * kMb, 16 * kMb)).size() == 128);
  CHECK(resident_kb() - before < 64 * 1024);  // 128 pages of 64 KB, and what else is needed
}

namespace {

/// Clocks of an instruction in the second pass over straight code of that size, one warp.
double clocks_of_code(Backend& gpu, std::uint64_t bytes) {
  const std::uint64_t count = bytes / 8;
  std::string code;
  for (std::uint64_t i = 0; i < count; ++i)
    code += fmt::format("  abs.s32 %r{}, %r1;\n", 20 + i % 8);
  Probe probe;
  probe.keep_row_each(1, 1);
  const Repetition result = probe.run_or_fail(
      gpu, probe_ptx("  mov.u32 %r5, 2;\nPASS:\n  mov.u32 %r10, %clock;\n" + code +
                     "  mov.u32 %r11, %clock;\n  sub.u32 %r5, %r5, 1;\n"
                     "  setp.ne.u32 %p1, %r5, 0;\n  @%p1 bra PASS;\n"
                     "  sub.u32 %r12, %r11, %r10;\n  cvt.u64.u32 %rd2, %r12;\n" +
                     store_row(1, "%rd2")));
  return static_cast<double>(result.results[0]) / static_cast<double>(count);
}

}  // namespace

TEST_CASE("gtx280: the second and third instruction caches show, the first does not (Fig. 22)") {
  const auto gpu = open_text(device_text("gtx280"));
  const double small = clocks_of_code(*gpu, 3 * kKb);
  CHECK(small < 5);  // 4 clocks of the SPs, and what one warp alone leaves idle
  CHECK(clocks_of_code(*gpu, 7 * kKb) == doctest::Approx(small).epsilon(0.05));
  const double beyond_l2 = clocks_of_code(*gpu, 16 * kKb);
  CHECK(beyond_l2 > 1.3 * small);
  CHECK(clocks_of_code(*gpu, 30 * kKb) == doctest::Approx(beyond_l2).epsilon(0.05));
  CHECK(clocks_of_code(*gpu, 48 * kKb) > 1.3 * beyond_l2);
  // Without code asked for ahead the first level shows too.
  const auto plain =
      open_text(replaced(device_text("gtx280"), "prefetch = { \"256 B\"", "prefetch = { \"0 B\""));
  CHECK(clocks_of_code(*plain, 3 * kKb) == doctest::Approx(small).epsilon(0.05));
  CHECK(clocks_of_code(*plain, 7 * kKb) > 1.3 * small);
}
