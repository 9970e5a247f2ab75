// Wong 2010, Listings 3 to 7, on both execution models; what never ends, and how it is found.
#include <chrono>
#include <numeric>

#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

std::unique_ptr<Backend> gpu_of(const std::string& model) {
  return open_text(
      replaced(device_text("gtx280"), "model = { \"stack\"", "model = { \"" + model + "\""));
}

const std::string kShared = ".shared .align 4 .b8 shared[256];\n";

/// Clocks of each thread within the if / else-if chain over `values` of Listing 3.
std::vector<std::uint64_t> listing3(Backend& gpu, const std::vector<unsigned>& values) {
  std::string body;
  for (std::size_t i = 0; i < values.size(); ++i)
    body += fmt::format(
        "  setp.eq.u32 %p1, %r1, {0};\n  @!%p1 bra ELSE{1};\n  mov.u64 %rd2, %clock64;\n"
        "  add.u32 %r3, %r3, 1;\n  add.u32 %r3, %r3, 1;\n  bra END;\nELSE{1}:\n",
        values[i], i);
  body += "END:\n" + store_row(32, "%rd2");
  Probe probe;
  probe.keep_row_each(1, 32);
  return probe.run_or_fail(gpu, probe_ptx(body)).results;
}

/// Runs `body` with `threads` threads and a watchdog of 10 ms; each thread's `%rd2` is its row.
Repetition run(Backend& gpu, const std::string& body, std::uint32_t threads) {
  Probe probe;
  probe.program.outcomes = probe.program.may_hang = true;
  probe.keep_row_each(1, threads);
  probe.launch().watchdog = 0.01;
  return probe.run_or_fail(gpu, probe_ptx(body + store_row(threads, "%rd2"), 0, "", kShared));
}

const std::string kListing4 =
    "SPIN:\n  ld.volatile.shared.u32 %r3, [shared];\n  setp.ne.u32 %p1, %r3, %r1;\n"
    "  @%p1 bra SPIN;\n  ld.volatile.shared.u32 %r4, [shared];\n  add.u32 %r4, %r4, 1;\n"
    "  st.volatile.shared.u32 [shared], %r4;\n  cvt.u64.u32 %rd2, %r4;\n";

const std::string kListing5 =
    "  shl.b32 %r3, %r1, 2;\n  mov.u32 %r4, shared;\n  and.b32 %r5, %r3, 63;\n"
    "  add.u32 %r5, %r4, %r5;\n  mov.u64 %rd2, 99;\n  setp.lt.u32 %p1, %r1, 16;\n"
    "  @!%p1 bra CONSUME;\n  add.u32 %r6, %r1, 1;\n  st.volatile.shared.u32 [%r5], %r6;\n"
    "  barrier.sync 0;\n  bra END;\nCONSUME:\n  barrier.sync 0;\n"
    "  ld.volatile.shared.u32 %r7, [%r5];\n  cvt.u64.u32 %rd2, %r7;\nEND:\n";

const std::string kListing6 =
    "  mov.u32 %r3, 0;\n  st.volatile.shared.u32 [shared], %r3;\n  bar.sync 0;\n"
    "  setp.lt.u32 %p1, %r1, 32;\n  @!%p1 bra SPIN;\n  barrier.sync 0;\n  mov.u32 %r3, 1;\n"
    "  st.volatile.shared.u32 [shared], %r3;\n  bra END;\nSPIN:\n"
    "  ld.volatile.shared.u32 %r4, [shared];\n  setp.eq.u32 %p2, %r4, 0;\n  @%p2 bra SPIN;\nEND:\n"
    "  mov.u64 %rd2, 1;\n";

/// Each thread's row: the clock after its (last) barrier; of warp 1 with the one after [3] in the
/// upper half.
const std::string kListing7 =
    "  bar.sync 0;\n  setp.lt.u32 %p1, %r1, 32;\n  @!%p1 bra WARP1;\n"
    "  setp.lt.u32 %p2, %r1, 16;\n  @!%p2 bra TWO;\n  barrier.sync 0;\n  mov.u32 %r3, %clock;\n"
    "  bra JOIN;\nTWO:\n  barrier.sync 0;\n  mov.u32 %r3, %clock;\nJOIN:\n"
    "  cvt.u64.u32 %rd2, %r3;\n  bra END;\nWARP1:\n"
    "  mov.u32 %r6, 0;\nDELAY:\n  add.u32 %r6, %r6, 1;\n  setp.lt.u32 %p3, %r6, 40;\n"
    "  @%p3 bra DELAY;\n  barrier.sync 0;\n  mov.u32 %r4, %clock;\n"
    "  mov.u32 %r6, 0;\nDELAY2:\n  add.u32 %r6, %r6, 1;\n  setp.lt.u32 %p3, %r6, 40;\n"
    "  @%p3 bra DELAY2;\n  barrier.sync 0;\n  mov.u32 %r5, %clock;\n"
    "  cvt.u64.u32 %rd3, %r4;\n  shl.b64 %rd3, %rd3, 32;\n  cvt.u64.u32 %rd2, %r5;\n"
    "  or.b64 %rd2, %rd2, %rd3;\nEND:\n";

}  // namespace

TEST_CASE("stack: the last then-clause runs first, whatever the thread (Listing 3, Fig. 8)") {
  const auto gpu = gpu_of("stack");
  std::vector<unsigned> up(32), down(32), mixed(32);
  std::iota(up.begin(), up.end(), 0);
  std::copy(up.rbegin(), up.rend(), down.begin());
  for (unsigned i = 0; i < 32; ++i) mixed[i] = (i * 13 + 5) % 32;
  for (const auto& values : {up, down, mixed}) {
    const auto clocks = listing3(*gpu, values);
    for (std::size_t i = 1; i < 32; ++i) CHECK(clocks[values[i]] < clocks[values[i - 1]]);
  }
}

TEST_CASE("stack: a path runs to the meeting point before the next begins (Fig. 7)") {
  const auto gpu = gpu_of("stack");
  std::vector<unsigned> up(32);
  std::iota(up.begin(), up.end(), 0);
  auto clocks = listing3(*gpu, up);
  std::sort(clocks.begin(), clocks.end());
  // Two dependent additions lie between two paths' clock reads.
  for (std::size_t i = 1; i < 32; ++i) CHECK(clocks[i] - clocks[i - 1] >= 28 + 24);
}

TEST_CASE("stack: the paths of two warps overlap, those of one do not (Fig. 7)") {
  const auto gpu = gpu_of("stack");
  std::string body = "  and.b32 %r9, %r1, 31;\n";
  for (unsigned i = 0; i < 32; ++i) {
    body += fmt::format("  setp.eq.u32 %p1, %r9, {0};\n  @!%p1 bra ELSE{0};\n", i) +
            "  mov.u64 %rd2, %clock64;\n";
    for (int k = 0; k < 8; ++k) body += "  add.u32 %r3, %r3, 1;\n";
    body += fmt::format("  bra END;\nELSE{}:\n", i);
  }
  body += "END:\n" + store_row(64, "%rd2");
  Probe probe;
  probe.keep_row_each(1, 64);
  const auto clocks = probe.run_or_fail(*gpu, probe_ptx(body)).results;
  for (std::size_t i = 0; i < 31; ++i) {
    CHECK(clocks[i] - clocks[i + 1] >= 28 + 7 * 24);
    CHECK(clocks[32 + i] - clocks[33 + i] >= 28 + 7 * 24);
    CHECK(std::max(clocks[i], clocks[32 + i]) - std::min(clocks[i], clocks[32 + i]) < 100);
  }
}

TEST_CASE("independent: every path of Listing 3 runs, once") {
  const auto gpu = gpu_of("independent");
  std::vector<unsigned> up(32);
  std::iota(up.begin(), up.end(), 0);
  auto clocks = listing3(*gpu, up);
  std::sort(clocks.begin(), clocks.end());
  CHECK(std::unique(clocks.begin(), clocks.end()) == clocks.end());
  CHECK(clocks.back() != codegen::kNotKept);
}

TEST_CASE("Listing 4 deadlocks on a stack, and ends where groups take turns") {
  CHECK(run(*gpu_of("stack"), kListing4, 32).outcome == Outcome::deadlock);
  const Repetition ended = run(*gpu_of("independent"), kListing4, 32);
  REQUIRE(ended.outcome == Outcome::completed);
  for (std::uint64_t t = 0; t < 32; ++t) CHECK(ended.results[t] == t + 1);
}

TEST_CASE("Listing 5: a barrier of warps leaves the other half stale, one of threads does not") {
  const Repetition stale = run(*gpu_of("stack"), kListing5, 32);
  REQUIRE(stale.outcome == Outcome::completed);
  for (std::uint64_t t = 16; t < 32; ++t) CHECK(stale.results[t] == 0);
  const Repetition fresh = run(*gpu_of("independent"), kListing5, 32);
  REQUIRE(fresh.outcome == Outcome::completed);
  for (std::uint64_t t = 16; t < 32; ++t) CHECK(fresh.results[t] == t - 15);
}

TEST_CASE("Listing 6: one warp waits at the barrier, the other spins: a deadlock on both models") {
  for (const char* model : {"stack", "independent"}) {
    CAPTURE(std::string(model));
    CHECK(run(*gpu_of(model), kListing6, 64).outcome == Outcome::deadlock);
  }
}

TEST_CASE("Listing 7 on a stack: 2 pairs with 3, and 1 with 4") {
  const Repetition result = run(*gpu_of("stack"), kListing7, 64);
  REQUIRE(result.outcome == Outcome::completed);
  const std::uint64_t one = result.results[0], two = result.results[16];
  const std::uint64_t three = result.results[32] >> 32, four = result.results[32] & 0xffffffff;
  const auto apart = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
  CHECK(apart(two, three) <= 8);  // one issues after the other
  CHECK(apart(one, four) <= 8);
  CHECK(four > three + 1000);
}

TEST_CASE("Listing 7 where barriers count threads: 1, 2 and 3 make one, 4 waits for the exits") {
  const Repetition result = run(*gpu_of("independent"), kListing7, 64);
  REQUIRE(result.outcome == Outcome::completed);
  const std::uint64_t one = result.results[0], two = result.results[16];
  const std::uint64_t three = result.results[32] >> 32, four = result.results[32] & 0xffffffff;
  const auto [first, last] = std::minmax({one, two, three});
  CHECK(last - first < 100);
  CHECK(four > three + 1000);
}

TEST_CASE("a warp that exits is not waited for") {
  for (const char* model : {"stack", "independent"}) {
    CAPTURE(std::string(model));
    const auto gpu = gpu_of(model);
    const std::string body =
        "  mov.u64 %rd2, 1;\n  setp.lt.u32 %p1, %r1, 40;\n  @%p1 bra STAY;\n  ret;\nSTAY:\n"
        "  bar.sync 0;\n";
    const Repetition result = run(*gpu, body, 96);
    REQUIRE(result.outcome == Outcome::completed);
    for (std::size_t t = 0; t < 96; ++t)
      CHECK(result.results[t] == (t < 40 ? 1 : codegen::kNotKept));
  }
}

TEST_CASE("threads that exit let those of their own warp go on that wait for them") {
  const auto gpu = gpu_of("independent");
  const std::string body =
      "  mov.u64 %rd2, 1;\n  setp.ge.u32 %p1, %r1, 8;\n  @%p1 bra STAY;\n"
      "  add.u32 %r3, %r3, 1;\n  add.u32 %r3, %r3, 1;\n  ret;\nSTAY:\n  barrier.sync 0;\n"
      "  mov.u32 %r4, %clock;\n  cvt.u64.u32 %rd2, %r4;\n";
  const Repetition result = run(*gpu, body, 64);
  REQUIRE(result.outcome == Outcome::completed);
  for (std::size_t t = 0; t < 64; ++t)
    CHECK(
        (t < 8 ? result.results[t] == codegen::kNotKept : result.results[t] != codegen::kNotKept));
  CHECK(result.results[8] - result.results[63] + 8 <= 16);
}

TEST_CASE("a launch that must not end is an error where no outcome is asked for") {
  const auto gpu = gpu_of("stack");
  Probe probe;
  probe.keep_row_each(1, 64);
  const auto result = probe.run(*gpu, probe_ptx(kListing6, 0, "", kShared));
  REQUIRE_FALSE(result);
  CHECK(result.error().diagnostics[0].message ==
        "kernel 'probe', 1 block of 64 threads: deadlock: the 1 warp that is not at a barrier "
        "repeats itself without any change, for ever");
}

TEST_CASE("what cannot be shown not to end ends with its watchdog") {
  const auto gpu = gpu_of("stack");
  // It reads the clock and counts: no two rounds are equal.
  const std::string counts =
      "SPIN:\n  mov.u32 %r3, %clock;\n  add.u32 %r4, %r4, 1;\n  setp.ne.u32 %p1, %r1, 1000;\n"
      "  @%p1 bra SPIN;\n";
  CHECK(run(*gpu, counts, 32).outcome == Outcome::deadlock);
  // The next launch is not disturbed by it.
  CHECK(run(*gpu, "  mov.u64 %rd2, 5;\n", 32).results == std::vector<std::uint64_t>(32, 5));
}

TEST_CASE("a loop that waits long for what does come is no deadlock") {
  for (const char* model : {"stack", "independent"}) {
    CAPTURE(std::string(model));
    const std::string body =
        "  setp.lt.u32 %p1, %r1, 32;\n  @!%p1 bra SPIN;\n  mov.u32 %r6, 0;\nDELAY:\n"
        "  add.u32 %r6, %r6, 1;\n  setp.lt.u32 %p3, %r6, 20000;\n  @%p3 bra DELAY;\n"
        "  mov.u32 %r3, 1;\n  st.volatile.shared.u32 [shared], %r3;\n  bra END;\nSPIN:\n"
        "  ld.volatile.shared.u32 %r4, [shared];\n  setp.eq.u32 %p2, %r4, 0;\n  @%p2 bra SPIN;\n"
        "END:\n  mov.u64 %rd2, 1;\n";
    CHECK(run(*gpu_of(model), body, 512).outcome == Outcome::completed);
  }
}

TEST_CASE("a lock that a lane of the same warp holds deadlocks on a stack alone") {
  const std::string lock =
      "LOCK:\n  atom.shared.cas.b32 %r3, [shared], 0, 1;\n  setp.ne.u32 %p1, %r3, 0;\n"
      "  @%p1 bra LOCK;\n  ld.volatile.shared.u32 %r4, [shared+4];\n  add.u32 %r4, %r4, 1;\n"
      "  st.volatile.shared.u32 [shared+4], %r4;\n  atom.shared.exch.b32 %r5, [shared], 0;\n"
      "  cvt.u64.u32 %rd2, %r4;\n";
  CHECK(run(*gpu_of("stack"), lock, 32).outcome == Outcome::deadlock);
  const Repetition ended = run(*gpu_of("independent"), lock, 32);
  REQUIRE(ended.outcome == Outcome::completed);
  CHECK(std::accumulate(ended.results.begin(), ended.results.end(), std::uint64_t{0}) ==
        33 * 32 / 2);
}

TEST_CASE("a deadlock among the jobs leaves the others as they are, with any number of workers") {
  const std::string body =
      "  mov.u32 %r4, %ntid.x;\n  setp.eq.u32 %p1, %r4, 96;\n  @!%p1 bra GO;\nSPIN:\n"
      "  ld.volatile.shared.u32 %r3, [shared];\n  setp.eq.u32 %p2, %r3, 0;\n  @%p2 bra SPIN;\n"
      "GO:\n  mov.u32 %r5, %clock;\n  ld.global.u32 %r6, [%rd1];\n  add.u32 %r6, %r6, 1;\n"
      "  mov.u32 %r7, %clock;\n  sub.u32 %r7, %r7, %r5;\n  cvt.u64.u32 %rd2, %r7;\n" +
      store_row(128, "%rd2");
  Probe probe;
  probe.program.outcomes = probe.program.may_hang = true;
  probe.keep_row_each(1, 128);
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx = probe_ptx(body, 0, "", kShared);
  std::vector<std::vector<std::uint64_t>> samples;
  for (const unsigned workers : {1u, 2u, 3u}) {
    const auto gpu = open_text(device_text("gtx280"), workers);
    REQUIRE(gpu->load(probe.program, std::span(&artifact, 1)));
    std::vector<codegen::Launch> launches(12, probe.launch());
    std::vector<Job> jobs;
    for (std::uint32_t i = 0; i < 12; ++i) {
      launches[i].threads = 32 + i % 4 * 32;
      jobs.push_back({&launches[i], 2, i});
    }
    const std::atomic<bool> stop = false;
    const auto results = gpu->run(jobs, stop);
    REQUIRE(results);
    auto& all = samples.emplace_back();
    for (std::size_t i = 0; i < 12; ++i)
      for (const Repetition& repetition : (*results)[i].repetitions) {
        CHECK((repetition.outcome == Outcome::deadlock) == (launches[i].threads == 96));
        all.insert(all.end(), repetition.results.begin(), repetition.results.end());
      }
  }
  CHECK(samples[0] == samples[1]);
  CHECK(samples[0] == samples[2]);
}
