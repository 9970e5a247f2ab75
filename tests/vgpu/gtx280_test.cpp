// The GTX 280 of stdlib/devices gives the numbers of Wong 2010 back: Tables II to IV by chains of
// one thread and blocks of 512, Figs. 5, 6 and 9.
#include <map>
#include <set>

#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

/// Clocks from a barrier to the last warp's result, of `count` executions by each of `threads`.
double clocks(Backend& gpu, const std::string& once, unsigned count, unsigned threads) {
  std::string body =
      "  mov.u32 %r10, memory; mov.u32 %r10, 7; mov.u32 %r11, 3; mov.u32 %r12, 5;\n"
      "  mov.f32 %f1, 0f3F800001; mov.f32 %f2, 0f3F800003; mov.f32 %f3, 0f3F800007;\n"
      "  mov.f64 %fd1, 0d3FF0000000000001; mov.f64 %fd2, 0d3FF0000000000003;\n"
      "  mov.f64 %fd3, 0d3FF0000000000005;\n  bar.sync 0;\n  mov.u32 %r20, %clock;\n";
  for (unsigned i = 0; i < count; ++i) body += "  " + once + "\n";
  body +=
      "  cvt.rzi.u32.f32 %r13, %f1; cvt.rzi.u32.f64 %r14, %fd1;\n"
      "  add.u32 %r10, %r10, %r13; add.u32 %r10, %r10, %r14;\n"
      "  setp.eq.u32 %p1, %r10, 123456789; @%p1 st.global.u32 [%rd1], %r10;\n  bar.sync 0;\n"
      "  mov.u32 %r21, %clock;\n  sub.u32 %r22, %r21, %r20;\n  cvt.u64.u32 %rd2, %r22;\n" +
      store_row(threads, "%rd2");
  Probe probe;
  probe.keep_row_each(1, threads);
  const Repetition run =
      probe.run_or_fail(gpu, probe_ptx(body, 0, "", ".shared .align 4 .b8 memory[16];\n"));
  return static_cast<double>(*std::max_element(run.results.begin(), run.results.end()));
}

/// Of one execution, by the slope over their number.
double latency(Backend& gpu, const std::string& once, unsigned threads = 1) {
  return (clocks(gpu, once, 96, threads) - clocks(gpu, once, 32, threads)) / 64;
}
double throughput(Backend& gpu, const std::string& once, unsigned threads = 512) {
  return threads / latency(gpu, once, threads);
}

struct Row {
  std::string once;
  double latency, throughput;
};

}  // namespace

TEST_CASE("gtx280: every row of Tables III and IV that has instructions of its own, within 3 %") {
  const auto gpu = open_text(device_text("gtx280"));
  std::vector<Row> rows = {
      {"mad.lo.u32 %r10, %r10, %r11, %r12;", 120, 1.4},
      {"mad.lo.s32 %r10, %r10, %r11, %r12;", 120, 1.4},
      {"mul.lo.u32 %r10, %r10, %r11;", 96, 1.7},
      {"mul.lo.s32 %r10, %r10, %r11;", 96, 1.7},
      {"div.u32 %r10, %r10, %r11;", 608, 0.28},
      {"div.s32 %r10, %r10, %r11;", 684, 0.23},
      {"rem.u32 %r10, %r10, %r11;", 728, 0.24},
      {"rem.s32 %r10, %r10, %r11;", 784, 0.20},
      {"shl.b32 %r10, %r10, %r11;", 24, 7.9},
      {"shr.u32 %r10, %r10, %r11;", 24, 7.9},
      {"fma.rn.f32 %f1, %f1, %f2, %f3;", 24, 7.9},
      {"mad.rn.f32 %f1, %f1, %f2, %f3;", 24, 7.9},
      {"mul.f32 %f1, %f1, %f2;", 24, 11.2},
      {"div.full.f32 %f1, %f1, %f2;", 137, 1.5},
      {"fma.rn.f64 %fd1, %fd1, %fd2, %fd3;", 48, 1.0},
      {"mul.f64 %fd1, %fd1, %fd2;", 48, 1.0},
      {"div.rn.f64 %fd1, %fd1, %fd2;", 1366, 0.063},
      {"mul24.lo.u32 %r10, %r10, %r11;", 24, 7.9},
      {"mul24.lo.s32 %r10, %r10, %r11;", 24, 7.9},
      {"sad.u32 %r10, %r10, %r11, %r12;", 24, 7.9},
      {"sad.s32 %r10, %r10, %r11, %r12;", 24, 7.9},
      {"mul.hi.u32 %r10, %r10, %r11;", 144, 1.0},
      {"mul.hi.s32 %r10, %r10, %r11;", 180, 0.77},
      {"add.rn.f32 %f1, %f1, %f2;", 24, 7.9},
      {"add.rz.f32 %f1, %f1, %f2;", 24, 7.9},
      {"mul.rn.f32 %f1, %f1, %f2;", 26, 10.4},
      {"mul.rz.f32 %f1, %f1, %f2;", 26, 10.4},
      {"div.approx.f32 %f1, %f1, %f2;", 52, 1.9},
      {"add.rn.f64 %fd1, %fd1, %fd2;", 48, 1.0},
      {"sin.approx.f32 %f1, %f1;", 48, 2.0},
      {"cos.approx.f32 %f1, %f1;", 48, 2.0},
      // __tanf: as the routine of a sine, a reciprocal cosine and a product.
      {"cos.approx.f32 %f4, %f1; sin.approx.f32 %f5, %f1; rcp.approx.f32 %f4, %f4; "
       "mul.f32 %f1, %f5, %f4;",
       98, 0.67},
      {"ex2.approx.f32 %f1, %f1;", 48, 2.0},
      // __expf, __exp10f and __logf, __log10f.
      {"mul.f32 %f4, %f1, %f2; ex2.approx.f32 %f1, %f4;", 72, 2.0},
      {"lg2.approx.f32 %f4, %f1; mul.f32 %f1, %f4, %f2;", 52, 2.0},
      {"lg2.approx.f32 %f1, %f1;", 28, 2.0},
      {"rsqrt.approx.f32 %f1, %f1;", 28, 2.0},
      {"sqrt.approx.f32 %f1, %f1;", 56, 2.0},
  };
  for (const std::string op : {"add", "sub", "max", "min"}) {
    for (const std::string type : {"u32", "s32"})
      rows.push_back({fmt::format("{}.{} %r10, %r10, %r11;", op, type), 24, 7.9});
    rows.push_back({op + ".f32 %f1, %f1, %f2;", 24, 7.9});
    rows.push_back({op + ".f64 %fd1, %fd1, %fd2;", 48, 1.0});
  }
  for (const std::string op : {"and", "or", "xor"})
    rows.push_back({op + ".b32 %r10, %r10, %r11;", 24, 7.9});
  for (const Row& row : rows) {
    CAPTURE(row.once);
    CHECK(latency(*gpu, row.once) == doctest::Approx(row.latency).epsilon(0.03));
    CHECK(throughput(*gpu, row.once) == doctest::Approx(row.throughput).epsilon(0.03));
  }
}

TEST_CASE("gtx280: two predicates that alternate leave a chain's latency as it is") {
  const auto gpu = open_text(device_text("gtx280"));
  CHECK(latency(*gpu, "@!%p5 add.u32 %r10, %r10, %r11; @!%p6 add.u32 %r10, %r10, %r12;") == 48);
}

TEST_CASE("gtx280: latency is flat to 5 warps, 6 and 7 do not fill the pipeline, 8 do (Fig. 6)") {
  const auto gpu = open_text(device_text("gtx280"));
  std::map<unsigned, double> by_warps;
  for (unsigned warps = 1; warps <= 16; ++warps)
    by_warps[warps] = latency(*gpu, "add.u32 %r10, %r10, %r11;", 32 * warps);
  for (unsigned warps = 1; warps <= 5; ++warps) {
    CAPTURE(warps);
    CHECK(by_warps[warps] == doctest::Approx(24).epsilon(0.01));
  }
  for (const unsigned warps : {6u, 7u}) {
    CAPTURE(warps);
    CHECK(32 * warps / by_warps[warps] < 7.5);
    CHECK(32 * warps / by_warps[warps] > 32 * 5 / by_warps[5]);
  }
  for (unsigned warps = 8; warps <= 16; ++warps) {
    CAPTURE(warps);
    CHECK(32 * warps / by_warps[warps] == doctest::Approx(8).epsilon(0.01));
  }
}

TEST_CASE("gtx280: a barrier takes 20 clocks, a clock read 28, in steps of 2") {
  const auto gpu = open_text(device_text("gtx280"));
  CHECK(latency(*gpu, "bar.sync 0;") == 20);
  CHECK(latency(*gpu, "barrier.sync 0;", 32) == 20);
  CHECK(latency(*gpu, "mov.u32 %r30, %clock;") == 28);
  Probe probe;
  probe.keep_row_each(30, 1);
  probe.launch().warmup = 1;  // the code is there
  const auto run =
      probe.run_or_fail(*gpu, probe_ptx("  mov.u64 %rd2, %clock64;\n" + store_row(1, "%rd2")));
  for (const std::uint64_t clock : run.results) CHECK(clock % 2 == 0);
}

TEST_CASE("a barrier costs more for each further warp where the device says so") {
  const auto gpu =
      open_text(replaced(device_text("gtx280"), "barrier = {",
                         "barrier = { per_warp = { \"1.5 clocks\", assumed = \"x\" },"));
  CHECK(latency(*gpu, "bar.sync 0;", 32) == 20);
  CHECK(latency(*gpu, "bar.sync 0;", 3 * 32) == doctest::Approx(20 + 3 + 2 * 1).epsilon(0.2));
  const auto eight = latency(*gpu, "bar.sync 0;", 8 * 32), five = latency(*gpu, "bar.sync 0;", 160);
  CHECK(eight > five + 4);
}

TEST_CASE("gtx280: blocks go to a new TPC first, and those of one TPC share a clock (Fig. 5)") {
  const auto run = [](const std::string& domain) {
    const auto gpu = open_text(
        replaced(device_text("gtx280"), "domain = \"tpc\"", "domain = \"" + domain + "\""));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;  // SM, clock
    for (const char* what : {"%smid", "%clock"}) {
      Probe probe;
      probe.keep_row_each(30, 1);
      probe.launch().warmup = 1;  // the code is there
      const auto rows = probe.run_or_fail(
          *gpu, probe_ptx(fmt::format("  mov.u32 %r3, {};\n  cvt.u64.u32 %rd2, %r3;\n", what) +
                          store_row(1, "%rd2")));
      result.resize(30);
      for (std::size_t i = 0; i < 30; ++i)
        (what[1] == 's' ? result[i].first : result[i].second) = rows.results[i];
    }
    return result;
  };
  const auto tpc = run("tpc");
  std::set<std::uint64_t> sms, first_ten;
  for (std::size_t i = 0; i < 30; ++i) {
    sms.insert(tpc[i].first);
    if (i < 10) first_ten.insert(tpc[i].first / 3);
    CHECK(tpc[i].first / 3 == tpc[i % 10].first / 3);
    CHECK(tpc[i].second == tpc[i % 10].second);
    CHECK((i % 10 == 0 || tpc[i].second != tpc[0].second));
  }
  CHECK(sms.size() == 30);
  CHECK(first_ten.size() == 10);
  std::set<std::uint64_t> by_sm, by_gpu;
  for (const auto& [sm, clock] : run("sm")) by_sm.insert(clock);
  for (const auto& [sm, clock] : run("gpu")) by_gpu.insert(clock);
  CHECK(by_sm.size() == 30);
  CHECK(by_gpu.size() == 1);
}

TEST_CASE("gtx280: registers limit the threads of a block, to multiples of 64 (Fig. 9)") {
  const auto gpu = open_text(device_text("gtx280"));
  const auto most_threads = [&](unsigned registers) {
    std::uint32_t most = 0;
    for (std::uint32_t threads = 16; threads <= 528; threads += 16) {
      Probe probe;
      probe.program.outcomes = true;
      probe.keep_row_each(1, threads);
      const auto run = probe.run_or_fail(
          *gpu, probe_ptx(store_row(threads, "%rd1"), 0, fmt::format(".maxnreg {}", registers)));
      CHECK(run.results.empty() == (run.outcome != Outcome::completed));
      if (run.outcome == Outcome::completed) most = threads;
      CHECK((run.outcome == Outcome::completed || run.outcome == Outcome::launch_failure));
    }
    return most;
  };
  CHECK(most_threads(16) == 512);
  CHECK(most_threads(32) == 512);
  CHECK(most_threads(33) == 448);  // 36 registers
  CHECK(most_threads(36) == 448);
  CHECK(most_threads(40) == 384);
  CHECK(most_threads(64) == 256);
  CHECK(most_threads(88) == 128);
  CHECK(most_threads(128) == 128);
  CHECK(most_threads(129) == 0);
}

TEST_CASE("registers limit the blocks that an SM holds at once") {
  const auto gpu = open_text(device_text("gtx280"));
  const auto seconds = [&](unsigned registers) {
    Probe probe;
    probe.keep_row_each(60, 128);
    std::string body;
    for (int i = 0; i < 200; ++i) body += "  add.u32 %r5, %r5, %r1;\n";
    return probe
        .run_or_fail(*gpu, probe_ptx(body + store_row(128, "%rd1"), 0,
                                     fmt::format(".maxnreg {}", registers)))
        .seconds;
  };
  // Two blocks of 88 registers do not fit, of 64 they do. Eight warps take 32 clocks for what four
  // take 24 for.
  CHECK(seconds(88) > 1.3 * seconds(64));
}

TEST_CASE("what the device cannot launch is an error where no outcome is asked for") {
  const auto gpu = open_text(device_text("gtx280"));
  const auto error = [&](std::uint32_t threads, const std::string& directives) {
    Probe probe;
    probe.keep_row_each(1, threads);
    const auto run = probe.run(*gpu, probe_ptx(store_row(threads, "%rd1"), 0, directives));
    REQUIRE_FALSE(run);
    return run.error().diagnostics[0].message;
  };
  CHECK(error(129, ".maxnreg 88") ==
        "kernel 'probe', 1 block of 129 threads: needs 16896 registers a block, an SM of 'gtx280' "
        "has 16384");
  CHECK(error(1, ".maxnreg 129") ==
        "kernel 'probe', 1 block of 1 thread: needs 129 registers a thread, 'gtx280' has 128 at "
        "most");
  CHECK(error(65, ".maxntid 8, 8, 1") ==
        "kernel 'probe', 1 block of 65 threads: the kernel declares blocks of 64 threads at "
        "most");
}

TEST_CASE("the most specific row of a device file counts: space, rounding, type, name, unit") {
  std::string text = device_text("gtx280");
  const auto row = [](const char* key, int latency) {
    return fmt::format(" [\"{}\"] = {{ latency = \"{} clocks\", interval = \"1 clock\" }},", key,
                       latency);
  };
  text = replaced(text, "op = {",
                  "op = {" + row("add", 31) + row("add.u32", 32) + row("add.rn.f32", 33) +
                      row("selp.b32", 34) + row("atom.shared.add.u32", 35) + row("atom.add", 36) +
                      row("shfl.sync.idx.b32", 37) + row("vote.sync.ballot", 38) +
                      row("cvt.u32.f32", 39));
  const auto gpu = open_text(text);
  struct Row {
    const char* once;
    double latency;
  };
  for (const Row& op : {
           Row{"add.u32 %r10, %r10, %r11;", 32},
           Row{"add.s32 %r10, %r10, %r11;", 31},
           Row{"add.f32 %f1, %f1, %f2;", 31},
           Row{"add.rn.f32 %f1, %f1, %f2;", 33},
           Row{"add.f64 %fd1, %fd1, %fd2;", 31},
           Row{"selp.b32 %r10, %r10, %r11, %p2;", 34},
           Row{"sub.u32 %r10, %r10, %r11;", 24},
           Row{"and.b32 %r10, %r10, 0; atom.shared.add.u32 %r10, [%r10], %r11;", 24 + 35},
           Row{"and.b32 %r10, %r10, 0; atom.shared.add.s32 %r10, [%r10], %r11;", 24 + 36},
           Row{"and.b32 %r10, %r10, 0; atom.shared.exch.b32 %r10, [%r10], %r11;", 24 + 38},
           Row{"shfl.sync.idx.b32 %r10, %r10, 0, 31, -1;", 37},
           Row{"setp.eq.u32 %p3, %r10, 9; vote.sync.ballot.b32 %r10, %p3, -1;", 24 + 38},
           Row{"cvt.rzi.u32.f32 %r10, %f1; cvt.rn.f32.u32 %f1, %r10;", 39 + 24},
       }) {
    CAPTURE(std::string(op.once));
    CHECK(latency(*gpu, op.once) == doctest::Approx(op.latency).epsilon(0.001));
  }
}
