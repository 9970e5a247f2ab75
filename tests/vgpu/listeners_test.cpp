// Listeners of the virtual GPU: what statistics count and what a trace shows, on kernels of a few
// instructions; and that to listen changes nothing.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/device/vgpu/listeners/recorder.h"
#include "tests/golden.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using Json = nlohmann::json;

namespace {

constexpr std::uint32_t kBlocks = 3, kThreads = 64;

/// Conflicting stores to shared memory, a barrier, loads of the thread's own row and of the first
/// one, a dependent addition, a store: 8 instructions and an address that needs arithmetic.
const std::string kBody =
    "  shl.b32 %r3, %r1, 3;\n"
    "  mov.u32 %r4, array;\n  add.s32 %r4, %r4, %r3;\n"
    "  st.shared.u32 [%r4], %r1;\n"
    "  bar.sync 0;\n"
    "  mad.lo.u32 %r5, %r2, 64, %r1;\n"
    "  mul.wide.u32 %rd2, %r5, 8;\n  add.s64 %rd2, %rd1, %rd2;\n"
    "  ld.global.u64 %rd3, [%rd2];\n"
    "  ld.global.u64 %rd4, [%rd1];\n"
    "  add.s64 %rd3, %rd3, %rd4;\n"
    "  st.global.u64 [%rd2], %rd3;\n";

Repetition run(Backend& gpu) {
  Probe probe;
  probe.keep_row_each(kBlocks, kThreads);
  return probe.run_or_fail(gpu, probe_ptx(kBody, 0, "", ".shared .align 8 .b8 array[512];\n"));
}

/// A GTX 560 Ti has banks, an L1, two levels of TLB; without its noise.
std::unique_ptr<Backend> gpu_of(const std::string& name = "gtx560ti") {
  return open_text(device_text(name));
}

Json trace_of(Backend& gpu, Repetition* repetition = nullptr) {
  REQUIRE(gpu.record("trace"));
  const Repetition ran = run(gpu);
  if (repetition) *repetition = ran;
  return Json::parse(gpu.recorded("trace"));
}

}  // namespace

TEST_CASE("the events of each warp follow each other without a gap, up to the launch's end") {
  const auto gpu = gpu_of();
  Repetition repetition;
  const Json events = trace_of(*gpu, &repetition);
  std::map<std::pair<int, int>, std::vector<std::pair<long, long>>> threads;
  std::pair<long, long> launch;
  for (const Json& event : events) {
    if (event["ph"] != "X") continue;
    const long from = event["ts"], to = from + event["dur"].get<long>();
    if (event["pid"] == 0)
      launch = {from, to};
    else
      threads[{event["pid"], event["tid"]}].emplace_back(from, to);
  }
  CHECK(launch.first == 0);
  CHECK(launch.second == std::lround(repetition.seconds * gpu->info().clock_hz));
  REQUIRE(threads.size() == kBlocks * kThreads / 32);  // each warp has a slot of its own
  long last = 0;
  for (auto& [thread, spans] : threads) {
    std::ranges::sort(spans);
    CHECK(spans.size() > 10);
    for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].first == spans[i - 1].second);
    last = std::max(last, spans.back().second);
  }
  CHECK(last <= launch.second + 1);  // the last issue takes its clock
}

TEST_CASE("a trace has a process for each SM that has blocks, and its blocks begin and end") {
  const auto gpu = gpu_of();
  std::map<std::string, int> blocks;
  std::map<int, std::string> processes;
  for (const Json& event : trace_of(*gpu)) {
    if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
    if (event["ph"] == "b") ++blocks[event["name"]];
    if (event["ph"] == "e") --blocks[event["name"]];
  }
  CHECK(processes.size() == 1 + kBlocks);
  CHECK(processes[0] == "GPU");
  CHECK(processes[1] == "SM 0");
  CHECK(blocks == std::map<std::string, int>{{"block 0", 0}, {"block 1", 0}, {"block 2", 0}});
}

TEST_CASE("to listen changes neither values nor times") {
  const auto gpu = gpu_of();
  const Repetition plain = run(*gpu);
  REQUIRE(gpu->record("stats"));
  REQUIRE(gpu->record("trace"));
  const Repetition heard = run(*gpu);
  CHECK(heard.seconds == plain.seconds);
  CHECK(heard.results == plain.results);
  CHECK(gpu->recorded("stats").find("blocks 3\n") != std::string::npos);
  CHECK(Json::parse(gpu->recorded("trace")).size() > 100);
  CHECK(gpu->recorded("stats") == "");  // statistics were taken, a trace goes on
  CHECK(Json::parse(gpu->recorded("trace")).size() > 100);
}

TEST_CASE("a trace that becomes too large ends with a message") {
  Trace trace(400);
  for (int i = 0; i < 100; ++i) trace.issues(i, 0, 0, "alu", "add");
  const Json events = Json::parse(trace.text());
  REQUIRE(events.size() > 2);
  CHECK(trace.left_out() == 100 - (events.size() - 1));
  CHECK(events.back()["name"] ==
        "the trace was cut: " + std::to_string(trace.left_out()) + " events are left out");
}

TEST_CASE("jobs of a trace follow each other") {
  Trace trace(1 << 20);
  for (int job = 0; job < 2; ++job) {
    trace.job_starts();
    trace.launch_starts(0, 1);
    trace.launch_ends(10);
  }
  const Json events = Json::parse(trace.text());
  CHECK(events[1]["ts"] == 0);
  CHECK(events[2]["ts"] == 11);
}

TEST_CASE("statistics count clocks of an SM by the warps that it holds") {
  Statistics statistics;
  statistics.launch_starts(100, 2);
  statistics.warp_starts(100, 0, 0);
  statistics.warp_starts(110, 0, 1);
  statistics.warp_ends(119, 0, 0);
  statistics.warp_ends(139, 0, 1);
  statistics.stalls(101, 119, 0, 0, timing::Stall::scoreboard);
  statistics.looks_up(105, 0, "l1", timing::Lookup::hit);
  statistics.looks_up(106, 0, "l1", timing::Lookup::miss);
  statistics.looks_up(107, 0, "l1", timing::Lookup::merged);
  statistics.looks_up(107, 0, "l1", timing::Lookup::hit);
  statistics.transfers(107, 0, false, 64);
  statistics.replays(105, 0, "shared", 3);
  statistics.replays(106, 0, "shared", 0);
  statistics.issues(100, 0, 0, "alu", "add");
  statistics.launch_ends(140);
  CHECK(statistics.text() == R"(launches 1
blocks 0
clocks 40
warp instructions 1

issued, by unit
  alu                          1

stalled, warp clocks by reason
  scoreboard                  18   100.0 %
  fence                        0     0.0 %
  barrier                      0     0.0 %
  branch                       0     0.0 %
  fetch                        0     0.0 %
  unit                         0     0.0 %

level                       hits        misses        merged  hit rate
  l1                           2             1             1    50.0 %
lines of DRAM 1

replays                 accesses  extra passes
  shared                       2             3

occupancy, SM clocks by resident warps
  no warp                     40    50.0 %
  1                           30    37.5 %
  2                           10    12.5 %

occupancy, warps of an SM in each tenth of a launch, mean of launches
  0.5 0.5 0.8 1.0 1.0 0.5 0.5 0.5 0.5 0.5
)");
}

TEST_CASE("statistics of a launch: levels, replays and stalls of a known kernel") {
  const auto gpu = gpu_of();
  REQUIRE(gpu->record("stats"));
  run(*gpu);
  test::check_golden(GPX_TESTS_DIR "/vgpu/statistics.txt", gpu->recorded("stats"));
}

TEST_CASE("only what is known can be recorded, and only by a device that tells") {
  const auto gpu = gpu_of();
  CHECK_FALSE(gpu->record("weather"));
  class Silent : public Backend {
    const DeviceInfo& info() const override { return info_; }
    const codegen::Toolchain& toolchain() const override { std::abort(); }
    Result<void> load(const codegen::Program&, std::span<const codegen::Artifact>) override {
      return {};
    }
    Result<std::vector<JobResult>> run(std::span<const Job>, const std::atomic<bool>&) override {
      return {};
    }
    DeviceInfo info_;
  } silent;
  Backend& device = silent;
  const auto refused = device.record("trace");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::input);
  CHECK(device.recorded("trace") == "");
}
