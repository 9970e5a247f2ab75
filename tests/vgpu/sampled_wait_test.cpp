// What a sample of a grid must not state: a deadlock that is the sample's own, and a time that rare
// long blocks make wrong.
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

constexpr std::uint32_t kBlocks = 4000, kThreads = 64;

Probe probe_of() {
  Probe probe;
  probe.keep_row_each(kBlocks, kThreads);
  probe.program.buffers.clear();
  probe.launch().sampled = true;
  probe.launch().whole_below = 0;
  return probe;
}

/// Block 0 waits for block 1: the grid is live, a sample without block 1 is not.
const std::string kWait =
    "  setp.eq.u32 %p1, %r2, 1;\n  @%p1 bra write;\n  setp.ne.u32 %p2, %r2, 0;\n  @%p2 bra end;\n"
    "wait:\n  ld.volatile.global.u64 %rd2, [%rd1];\n  setp.eq.s64 %p3, %rd2, -1;\n"
    "  @%p3 bra wait;\n  bra end;\nwrite:\n  mov.u64 %rd3, 5;\n  st.global.u64 [%rd1], %rd3;\n"
    "end:\n";

/// A loop of `rounds`, in one block of a hundred of `long_rounds`.
std::string rare(unsigned rounds, unsigned long_rounds) {
  return fmt::format(
      "  rem.u32 %r10, %r2, 100;\n  setp.eq.u32 %p1, %r10, 37;\n  selp.u32 %r11, {}, {}, %p1;\n"
      "  mov.u32 %r12, 0;\nagain:\n  add.u32 %r12, %r12, 1;\n  setp.lt.u32 %p2, %r12, %r11;\n"
      "  @%p2 bra again;\n",
      long_rounds, rounds);
}

}  // namespace

TEST_CASE("sampled_false_deadlock: a sample that waits for ever is discarded, and all blocks run") {
  for (const char* name : {"gtx280", "fx5600"}) {
    CAPTURE(name);
    const auto gpu = open_text(device_text(name));
    for (const bool outcomes : {false, true}) {
      Probe probe = probe_of();
      probe.program.outcomes = outcomes;
      const Repetition run = probe.run_or_fail(*gpu, probe_ptx(kWait));
      CHECK(run.outcome == Outcome::completed);
      CHECK(run.blocks_run == 0);
      CHECK(run.sample_error == 0);
    }
  }
}

TEST_CASE("a grid that is run whole because no sample stands for it has a limit") {
  const auto gpu = open_text(device_text("gtx280"));
  Probe probe = probe_of();
  probe.launch().sampled = false;
  probe.launch().most_instructions = 20'000;
  const auto run = probe.run(*gpu, probe_ptx(rare(100, 100)));
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().diagnostics.front().message.find("--whole has no such limit") !=
        std::string::npos);
}

TEST_CASE("a sample of blocks of which few are long states how badly it knows the time") {
  for (const char* name : {"gtx280", "fx5600"}) {
    CAPTURE(name);
    const auto gpu = open_text(device_text(name));
    Probe probe = probe_of();
    probe.launch().sampled = false;
    const double whole = probe.run_or_fail(*gpu, probe_ptx(rare(10, 3000))).seconds;
    probe.launch().sampled = true;
    // What counting the blocks gives: their mean is 39.9 rounds.
    probe.launch().deviation = 7.45;
    probe.launch().largest = 75;
    const Repetition some = probe.run_or_fail(*gpu, probe_ptx(rare(10, 3000)));
    REQUIRE(some.blocks_run > 0);
    CAPTURE(some.seconds / whole);
    CAPTURE(some.sample_error);
    CHECK((some.sample_error > kMostTimeError ||
           std::abs(some.seconds / whole - 1) <= some.sample_error));
  }
}
