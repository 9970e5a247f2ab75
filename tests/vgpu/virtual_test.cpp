// The virtual GPU as a whole: hand-written PTX on the shipped devices gives the published curves, a
// planted limit shows at its thread, and taking the limit away takes the jump away.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "codegen/toolchain/clang_toolchain.h"
#include "codegen/toolchain/nvrtc_toolchain.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "tests/device_files.h"

using namespace gpx;

namespace {

/// n loads of 4 bytes between two clock reads; `merge` neighbours share an address, addresses are
/// 128 B apart, the i-th load of all threads lies i * span after the first.
std::string latency_kernel(unsigned n, unsigned merge, const std::string& cache = "") {
  std::string loads, fold;
  for (unsigned i = 0; i < n; ++i) {
    loads += fmt::format("  ld.global{}.u32 %r{}, [%rd{}];\n", cache, 20 + i, 20 + i);
    fold += fmt::format("  xor.b32 %r3, %r3, %r{};\n", 20 + i);
  }
  std::string addresses;
  for (unsigned i = 1; i < n; ++i)
    addresses += fmt::format("  add.s64 %rd{}, %rd{}, %rd3;\n", 20 + i, 19 + i);
  return fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry probe(
  .param .u64 probe_param_0, .param .u64 probe_param_1, .param .u64 probe_param_2)
{{
  .reg .pred %p<2>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<64>;
  ld.param.u64 %rd1, [probe_param_0];
  ld.param.u64 %rd2, [probe_param_1];
  ld.param.u64 %rd3, [probe_param_2];
  mov.u32 %r1, %tid.x;
  div.u32 %r2, %r1, {};
  mul.wide.u32 %rd4, %r2, 128;
  add.s64 %rd20, %rd2, %rd4;
{}  mov.u32 %r3, 0;
  bar.sync 0;
  mov.u32 %r10, %clock;
{}{}  setp.eq.u32 %p1, %r3, 123456789;
  @%p1 st.global.u32 [%rd20], %r3;
  bar.sync 0;
  mov.u32 %r11, %clock;
  sub.u32 %r12, %r11, %r10;
  cvt.u64.u32 %rd5, %r12;
  red.global.max.u64 [%rd1], %rd5;
  ret;
}}
)",
                     merge, addresses, loads, fold);
}

/// Each thread copies 8 bytes.
const char* const kCopy = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry probe(
  .param .u64 probe_param_0, .param .u64 probe_param_1, .param .u64 probe_param_2)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [probe_param_1];
  ld.param.u64 %rd2, [probe_param_2];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 8;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u64 %rd6, [%rd4];
  st.global.u64 [%rd5], %rd6;
  ret;
}
)";

std::string entry(const std::string& body) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry probe(\n"
         "  .param .u64 probe_param_0, .param .u64 probe_param_1, .param .u64 probe_param_2)\n{\n"
         "  .reg .pred %p<8>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<8>;\n" +
         body + "}\n";
}

std::string device_text(const std::string& name) {
  std::ifstream file(test::device_file(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE_MESSAGE(at != std::string::npos, what);
  return text.replace(at, what.size(), with);
}

/// The text without `name = { ... },` at the first level.
std::string without(std::string text, const std::string& name) {
  const std::size_t begin = text.find("\n  " + name + " = {");
  REQUIRE(begin != std::string::npos);
  const std::size_t line = text.find('\n', begin + 1);
  const bool one_line = text[line - 2] == '}';
  const std::size_t end = one_line ? line : text.find("\n  },", begin) + 5;
  return text.erase(begin, end - begin);
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("gpx-device-{}-{}.lua", getpid(), number++);
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<Backend> open_text(const std::string& text, unsigned workers = 1) {
  const TemporaryFile file(text);
  auto backend = vgpu::open(file.path(), workers);
  if (!backend) FAIL(render(backend.error()));
  return std::move(*backend);
}

constexpr std::uint64_t kSpan = 1024 * 128;

codegen::Program latency_program(unsigned loads) {
  codegen::Program program;
  program.kernels.resize(1);
  program.buffers = {{"data", loads * kSpan, false}};
  program.results = {{"latency", 0, codegen::ResultSlot::Role::sample}};
  return program;
}

void load(Backend& gpu, const codegen::Program& program, const std::string& ptx) {
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx = ptx;
  const auto loaded = gpu.load(program, std::span(&artifact, 1));
  if (!loaded) FAIL(render(loaded.error()));
}

struct Point {
  std::uint32_t blocks = 1, threads = 1;
  bool flush = false;
  std::uint32_t warmup = 1;
};

Result<std::vector<JobResult>> run_points(Backend& gpu, const std::vector<Point>& points,
                                          std::vector<std::uint64_t> scalars,
                                          std::uint64_t seed = 1, std::uint32_t repetitions = 3) {
  std::vector<codegen::Launch> launches(points.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    launches[i].blocks = points[i].blocks;
    launches[i].threads = points[i].threads;
    launches[i].scalars = scalars;
    launches[i].warmup = points[i].warmup;
    launches[i].flush = points[i].flush;
    jobs.push_back({&launches[i], repetitions, seed + i});
  }
  const std::atomic<bool> stop = false;
  return gpu.run(jobs, stop);
}

/// Latency by thread count, the median of three: index 0 is 2 threads, then steps of 2.
std::vector<double> curve(Backend& gpu, unsigned n, unsigned merge, std::uint32_t last = 1024,
                          const std::string& cache = "") {
  load(gpu, latency_program(n), latency_kernel(n, merge, cache));
  std::vector<Point> points;
  for (std::uint32_t threads = 2; threads <= last; threads += 2) points.push_back({1, threads});
  const auto results = run_points(gpu, points, {kSpan});
  if (!results) FAIL(render(results.error()));
  std::vector<double> latencies;
  for (const JobResult& job : *results) {
    std::vector<std::uint64_t> runs;
    for (const Repetition& repetition : job.repetitions) runs.push_back(repetition.results[0]);
    std::sort(runs.begin(), runs.end());
    latencies.push_back(static_cast<double>(runs[runs.size() / 2]));
  }
  return latencies;
}

double at(const std::vector<double>& latencies, unsigned threads) {
  return latencies[threads / 2 - 1];
}

/// The first thread count after which the latency jumps by more than `clocks`; 0: nowhere.
unsigned first_jump(const std::vector<double>& latencies, double clocks) {
  for (std::size_t i = 1; i < latencies.size(); ++i)
    if (latencies[i] - latencies[i - 1] > clocks) return static_cast<unsigned>(2 * i);
  return 0;
}

}  // namespace

TEST_CASE(
    "m2070: the curve rises over the first warp, is flat to 96 threads, then steps a little") {
  const auto gpu = open_text(device_text("m2070"));
  const auto latencies = curve(*gpu, 1, 1, 128);
  CHECK(at(latencies, 32) - at(latencies, 2) >= 12);
  CHECK(std::abs(at(latencies, 96) - at(latencies, 34)) <= 6);
  const double step = at(latencies, 98) - at(latencies, 96);
  CHECK(step >= 3);
  CHECK(step <= 12);
}

TEST_CASE("the published saturations come back, and no other jump before them") {
  struct Row {
    const char* device;
    unsigned n, merge, saturation;
  };
  const Row rows[] = {
      {"m2070", 1, 1, 128}, {"m2070", 2, 1, 64}, {"m2070", 1, 2, 256}, {"m2070", 2, 4, 256},
      {"m2070", 4, 8, 256}, {"m2070", 4, 16, 0}, {"m2070", 4, 32, 0},  {"k20", 1, 1, 0},
      {"k20", 2, 1, 680},   {"k20", 3, 1, 454},  {"k20", 1, 2, 0},     {"k20", 2, 2, 690},
      {"k20", 3, 2, 460},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.device));
    CAPTURE(row.n);
    CAPTURE(row.merge);
    const auto gpu = open_text(device_text(row.device));
    const auto latencies = curve(*gpu, row.n, row.merge);
    CHECK(first_jump(latencies, 50) == row.saturation);
  }
}

TEST_CASE("a planted number of MSHR entries shows at its thread") {
  for (const unsigned entries : {20u, 33u, 64u, 100u}) {
    CAPTURE(entries);
    const auto gpu = open_text(
        replaced(device_text("m2070"), "entries = { 128", fmt::format("entries = {{ {}", entries)));
    CHECK(first_jump(curve(*gpu, 1, 1, 256), 50) == entries / 2 * 2);
    CHECK(first_jump(curve(*gpu, 1, 2, 256), 50) == 2 * entries);
  }
}

TEST_CASE("a planted number of merges shows where more neighbours share an address") {
  // 64 entries, 4 neighbours a line: with 4 merges one entry a line, with 2 merges two.
  const std::string text = replaced(device_text("m2070"), "entries = { 128", "entries = { 64");
  const auto with = [&](const char* merges) {
    const auto gpu = open_text(replaced(text, "merges = { 32", merges));
    return first_jump(curve(*gpu, 2, 4, 512), 50);
  };
  CHECK(with("merges = { 4") == 128);
  CHECK(with("merges = { 2") == 64);
}

TEST_CASE("a planted number of PRT entries shows at its warp, merged or not") {
  const std::string text =
      replaced(device_text("k20"), "overflow_requests = { 18", "overflow_requests = { 0");
  for (const unsigned entries : {8u, 13u, 24u}) {
    CAPTURE(entries);
    const auto gpu =
        open_text(replaced(text, "entries = { 42", fmt::format("entries = {{ {}", entries)));
    CHECK(first_jump(curve(*gpu, 1, 1), 50) == 32 * entries);
    CHECK(first_jump(curve(*gpu, 1, 4), 50) == 32 * entries);
    CHECK(first_jump(curve(*gpu, 2, 1), 50) == entries / 2 * 32);
  }
}

TEST_CASE("without its limit a device has no jump") {
  CHECK(first_jump(curve(*open_text(without(device_text("m2070"), "mshr")), 2, 1), 50) == 0);
  CHECK(first_jump(curve(*open_text(without(device_text("k20"), "prt")), 3, 1), 50) == 0);
}

TEST_CASE("the load after the scoreboard's last waits for the first to return") {
  struct Row {
    const char* device;
    unsigned loads;
    double round_trip;
  };
  for (const Row& row : {Row{"m2070", 4, 371}, Row{"k20", 3, 230}}) {
    CAPTURE(std::string(row.device));
    const auto gpu = open_text(device_text(row.device));
    std::vector<double> by_loads;
    for (unsigned n = 1; n <= row.loads + 1; ++n) by_loads.push_back(at(curve(*gpu, n, 1, 2), 2));
    for (unsigned n = 1; n < row.loads; ++n) CHECK(by_loads[n] - by_loads[n - 1] < 20);
    // Less than the whole round trip: the values that are there are folded meanwhile.
    CHECK(by_loads[row.loads] - by_loads[row.loads - 1] > 0.8 * row.round_trip);
    const auto free = open_text(without(device_text(row.device), "scoreboard"));
    CHECK(at(curve(*free, row.loads + 1, 1, 2), 2) < 1.5 * row.round_trip);
  }
}

TEST_CASE("one thread sees the latency of the level that serves it") {
  const auto gpu = open_text(without(device_text("m2070"), "noise"));
  load(*gpu, latency_program(1), latency_kernel(1, 1));
  const auto latency = [&](bool flush) {
    const auto results = run_points(*gpu, {{1, 1, flush}}, {kSpan});
    REQUIRE(results);
    return (*results)[0].repetitions[0].results[0];
  };
  const std::uint64_t l2 = latency(false), dram = latency(true);
  CHECK(dram - l2 == 570 - 371);
  // The clock's cost, the fold of the value, the predicate and the barrier are all that is added.
  CHECK(l2 >= 371);
  CHECK(l2 <= 371 + 100);
}

TEST_CASE("the same seed gives the same samples with one worker and with four") {
  std::vector<std::vector<std::uint64_t>> samples;
  for (const unsigned workers : {1u, 4u, 2u}) {
    const auto gpu = open_text(device_text("k20"), workers);
    load(*gpu, latency_program(2), latency_kernel(2, 1));
    std::vector<Point> points;
    for (std::uint32_t threads = 2; threads <= 256; threads += 2) points.push_back({1, threads});
    const auto results = run_points(*gpu, points, {kSpan}, 42);
    REQUIRE(results);
    auto& all = samples.emplace_back();
    for (const JobResult& job : *results)
      for (const Repetition& repetition : job.repetitions) all.push_back(repetition.results[0]);
  }
  CHECK(samples[0] == samples[1]);
  CHECK(samples[0] == samples[2]);
  const auto gpu = open_text(device_text("k20"));
  load(*gpu, latency_program(2), latency_kernel(2, 1));
  std::vector<Point> points;
  for (std::uint32_t threads = 2; threads <= 256; threads += 2) points.push_back({1, threads});
  std::vector<std::uint64_t> other;
  const auto results = run_points(*gpu, points, {kSpan}, 43);
  REQUIRE(results);
  for (const JobResult& job : *results)
    for (const Repetition& repetition : job.repetitions) other.push_back(repetition.results[0]);
  CHECK(samples[0] != other);
}

TEST_CASE("the gap of a copy between warm and flushed L2 stops growing at the capacity") {
  for (const auto& [device, capacity] : {std::pair{"m2070", 768u}, std::pair{"k20", 1536u}}) {
    const std::string shown = device;
    CAPTURE(shown);
    const auto gpu = open_text(device_text(device), 2);
    codegen::Program program;
    program.kernels.resize(1);
    program.buffers = {{"source", 2 << 20, false}, {"target", 2 << 20, true}};
    program.results = {{"checksum", 0, codegen::ResultSlot::Role::checksum}};
    codegen::Artifact artifact;
    artifact.entry = "probe";
    artifact.ptx = kCopy;
    REQUIRE(gpu->load(program, std::span(&artifact, 1)));
    // `size` counts both sides of the copy.
    const auto gap = [&](unsigned size_kb) {
      const std::uint32_t blocks = size_kb * 1024 / 2 / 8 / 256;
      const auto results = run_points(*gpu, {{blocks, 256, false}, {blocks, 256, true}}, {}, 1, 1);
      REQUIRE(results);
      return (*results)[1].repetitions[0].seconds - (*results)[0].repetitions[0].seconds;
    };
    const double quarter = gap(capacity / 4), half = gap(capacity / 2), full = gap(capacity);
    const double twice = gap(2 * capacity);
    CHECK(half > 1.5 * quarter);
    CHECK(full > 1.6 * half);
    CHECK(twice < 1.1 * full);
    CHECK(twice > 0.85 * full);
  }
}

TEST_CASE("a warm L2 holds what the launch reads, although the sweep's largest point reads more") {
  const auto gpu = open_text(without(device_text("k20"), "noise"));
  auto program = latency_program(1);
  program.buffers[0].bytes = 64 << 20;
  load(*gpu, program, latency_kernel(1, 1));
  const auto latency = [&](bool flush) {
    const auto results = run_points(*gpu, {{1, 32, flush, 0}}, {kSpan});
    REQUIRE(results);
    return (*results)[0].repetitions[0].results[0];
  };
  CHECK(latency(true) - latency(false) >= 371 - 230);
}

TEST_CASE("info is what a driver would report") {
  const auto gpu = open_text(device_text("k20"));
  CHECK(gpu->info().name == "k20");
  CHECK(gpu->info().kind == "virtual");
  CHECK_FALSE(gpu->info().measured);
  CHECK(gpu->info().architecture == "sm_35");
  CHECK(gpu->info().l2_bytes == 1536 << 10);
  CHECK(gpu->definition() == device_text("k20"));
  CHECK(gpu->info().sm_major == 3);
  CHECK(gpu->info().sm_minor == 5);
  CHECK(gpu->info().sm_count == 13);
  CHECK(gpu->info().max_threads_per_sm == 2048);
  CHECK(gpu->info().memory_bytes == std::uint64_t{5} << 30);
  CHECK(gpu->info().clock_hz == 706e6);
  CHECK(gpu->info().memory_bandwidth == doctest::Approx(128 / 0.434 * 706e6));
  const codegen::Target target{
      codegen::Target::Form::ptx, 75, {"tensor", "wgmma", "async_copy", "bulk_copy", "mbarrier"}};
  if (const auto* nvrtc = dynamic_cast<const codegen::NvrtcToolchain*>(&gpu->toolchain()))
    CHECK(nvrtc->target() == target);
  else
    CHECK(dynamic_cast<const codegen::ClangToolchain&>(gpu->toolchain()).target() == target);
}

TEST_CASE("a kernel with a matrix product is refused where the device has no unit for it") {
  auto program = latency_program(1);
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry probe() {\n.reg .b32 r<9>;\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {r0, r1, r2, r3}, {r4, r5}, {r6}, "
      "{r0, r1, r2, r3};\nret;\n}\n";
  const auto refused = open_text(device_text("k20"))->load(program, std::span(&artifact, 1));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().diagnostics[0].message ==
        "kernel 'probe': mma.m16n8k8 in line 6 of its PTX needs the unit tensor, which k20 does "
        "not have");
  CHECK(open_text(device_text("hopper"))->load(program, std::span(&artifact, 1)).has_value());
}

TEST_CASE("what cannot be launched is an error that says why") {
  const auto gpu = open_text(device_text("k20"));
  const auto message = [&](const Point& point) {
    const auto results = run_points(*gpu, {point}, {kSpan});
    REQUIRE_FALSE(results);
    CHECK(results.error().fault == Fault::device);
    return results.error().diagnostics[0].message;
  };
  CHECK(message({1, 32}) == "no program is loaded");
  load(*gpu, latency_program(1), latency_kernel(1, 1));
  CHECK(message({1, 1025}) ==
        "kernel 'probe', 1 block of 1025 threads: 'k20' has 1024 threads a block at most");
  CHECK(message({0, 32}) ==
        "kernel 'probe', 0 blocks of 32 threads: an empty grid cannot be launched");
  const auto results = run_points(*gpu, {{1, 32}}, {});
  REQUIRE_FALSE(results);
  CHECK(results.error().diagnostics[0].message ==
        "kernel 'probe', 1 block of 32 threads: 2 parameters for a kernel that takes 3");
  auto program = latency_program(1);
  program.buffers[0].bytes = std::uint64_t{6} << 30;
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx = latency_kernel(1, 1);
  const auto loaded = gpu->load(program, std::span(&artifact, 1));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().diagnostics[0].message.starts_with("out of memory: buffer 'data'"));
}

TEST_CASE("a kernel that does not end, waits for ever, or traps is an error with its place") {
  const std::string text = replaced(device_text("k20"), "noise = {",
                                    "watchdog = { instructions = 10000 },\n  noise = {");
  const auto error = [&](const std::string& body) {
    const auto gpu = open_text(text);
    load(*gpu, latency_program(1), entry(body));
    const auto results = run_points(*gpu, {{1, 64}}, {kSpan});
    REQUIRE_FALSE(results);
    CHECK(results.error().fault == Fault::device);
    return results.error().diagnostics[0];
  };
  const Diagnostic endless = error("LOOP:\n  add.u32 %r1, %r1, 1;\n  bra LOOP;\n");
  CHECK(endless.message ==
        "kernel 'probe', 1 block of 64 threads: the watchdog stopped it after 10000 warp "
        "instructions (watchdog.instructions of the device file)");
  REQUIRE(endless.location);
  CHECK(endless.location->file == "probe.ptx");
  CHECK(endless.location->line >= 11);
  CHECK(error("  bar.sync 1, 96;\n  ret;\n").message ==
        "kernel 'probe', 1 block of 64 threads: deadlock: 2 of 2 warps wait at a barrier and none "
        "can run");
  const Diagnostic outside = error("  mov.u64 %rd1, 64;\n  ld.global.u32 %r1, [%rd1];\n  ret;\n");
  REQUIRE(outside.location);
  CHECK(outside.location->line == 11);
  CHECK(outside.location->line_text == "  ld.global.u32 %r1, [%rd1];");
}

TEST_CASE("an error leaves the virtual GPU usable") {
  const auto gpu = open_text(device_text("k20"));
  load(*gpu, latency_program(1), entry("  bar.sync 1, 96;\n  ret;\n"));
  CHECK_FALSE(run_points(*gpu, {{20, 32}}, {kSpan}));
  load(*gpu, latency_program(1), latency_kernel(1, 1));
  CHECK(run_points(*gpu, {{1, 32}}, {kSpan}));
}

TEST_CASE("a raised stop gives the jobs that are complete, none in doubt") {
  const auto gpu = open_text(device_text("k20"), 2);
  load(*gpu, latency_program(1), latency_kernel(1, 1));
  codegen::Launch launch;
  launch.threads = 32;
  launch.scalars = {kSpan};
  const std::vector<Job> jobs(10, Job{&launch, 1, 1});
  const std::atomic<bool> stop = true;
  const auto results = gpu->run(jobs, stop);
  REQUIRE(results);
  CHECK(results->empty());
}

TEST_CASE("a raised stop cuts a launch short that does not end") {
  const auto gpu = open_text(device_text("k20"));
  load(*gpu, latency_program(1), entry("LOOP:\n  add.u32 %r1, %r1, 1;\n  bra LOOP;\n"));
  codegen::Launch launch;
  launch.threads = 32;
  launch.scalars = {kSpan};
  const std::vector<Job> jobs(2, Job{&launch, 1, 1});
  std::atomic<bool> stop = false;
  std::jthread raise([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  const auto results = gpu->run(jobs, stop);
  REQUIRE(results);
  CHECK(results->empty());
}

TEST_CASE("what instructions cost, read off two clocks") {
  std::string text = without(device_text("k20"), "noise");
  text = replaced(text, "op = {",
                  "op = { [\"mul.lo\"] = { latency = \"31 clocks\", interval = \"1 clock\" },");
  const auto gpu = open_text(text);
  const auto clocks = [&](const std::string& body, std::uint32_t threads = 32) {
    load(*gpu, latency_program(1),
         entry("  .shared .align 4 .b8 memory[128];\n"
               "  ld.param.u64 %rd1, [probe_param_0];\n  ld.param.u64 %rd2, [probe_param_1];\n"
               "  mov.u32 %r1, %tid.x;\n  add.u32 %r2, %r1, 1;\n  bar.sync 0;\n"
               "  mov.u32 %r6, %clock;\n" +
               body +
               "  mov.u32 %r7, %clock;\n"
               "  sub.u32 %r6, %r7, %r6;\n  cvt.u64.u32 %rd7, %r6;\n"
               "  red.global.max.u64 [%rd1], %rd7;\n  ret;\n"));
    const auto results = run_points(*gpu, {{1, threads}}, {kSpan});
    if (!results) FAIL(render(results.error()));
    return (*results)[0].repetitions[0].results[0];
  };
  const std::string use = "  add.u32 %r4, %r3, 1;\n";  // waits for %r3, then a clock to the next
  CHECK(clocks("") == 16);
  CHECK(clocks("  mov.u32 %r3, %r2;\n  mov.u64 %rd3, %rd2;\n") == 16);  // folded
  CHECK(clocks("  ld.param.u64 %rd3, [probe_param_2];\n") == 16);
  CHECK(clocks("  add.u32 %r3, %r2, 1;\n") == 17);
  CHECK(clocks("  add.u32 %r3, %r2, 1;\n  add.u32 %r4, %r2, 2;\n") == 18);  // independent
  CHECK(clocks("  add.u32 %r3, %r2, 1;\n" + use) == 16 + 9 + 1);
  CHECK(clocks("  mul.lo.u32 %r3, %r2, %r2;\n" + use) == 16 + 31 + 1);
  CHECK(clocks("  add.u32 %r5, %r2, 1;\n  mov.u32 %r3, %r5;\n" + use) == 16 + 9 + 1);
  CHECK(clocks("  bar.sync 0;\n") == 16 + 16);
  CHECK(clocks("  st.shared.u32 [memory], %r2;\n") == 17);
  CHECK(clocks("  ld.shared.u32 %r3, [memory];\n" + use) == 16 + 48 + 1);
  CHECK(clocks("  ld.global.u32 %r3, [%rd2];\n" + use, 1) == 16 + 230 + 1);
  CHECK(clocks("  ld.global.u32 %r5, [%rd2];\n  mov.u32 %r3, %r5;\n" + use, 1) == 16 + 230 + 1);
  CHECK(clocks("  st.global.u32 [%rd2], %r2;\n", 1) == 17);
  CHECK(clocks("  st.global.u32 [%rd2], %r2;\n  membar.gl;\n", 1) == 16 + 230);
  CHECK(clocks("  bra NEXT;\nNEXT:\n") == 16 + 12);
}

TEST_CASE("the clock register advances in its granularity") {
  const auto gpu = open_text(replaced(device_text("k20"), "clock_register = {",
                                      "clock_register = { granularity = { \"64 clocks\" },"));
  for (const double latency : curve(*gpu, 1, 1, 64))
    CHECK(static_cast<std::uint64_t>(latency) % 64 == 0);
}

TEST_CASE("blocks go round the SMs, and wait for a free place when all are full") {
  const std::string text = without(without(device_text("k20"), "noise"), "block_scheduler");
  const auto seconds = [&](const std::string& device, std::uint32_t blocks) {
    const auto gpu = open_text(device);
    load(*gpu, latency_program(1), latency_kernel(1, 1));
    const auto results = run_points(*gpu, {{blocks, 1024}}, {0});
    if (!results) FAIL(render(results.error()));
    return (*results)[0].repetitions[0].seconds;
  };
  // 2 blocks of 1024 threads fill an SM of 64 warp slots; 13 SMs.
  CHECK(seconds(text, 13) < 1.2 * seconds(text, 1));
  CHECK(seconds(text, 26) < 1.1 * seconds(text, 25));
  CHECK(seconds(text, 27) > 1.2 * seconds(text, 26));
  const std::string one_block = replaced(text, "block_slots = 16", "block_slots = 1");
  CHECK(seconds(one_block, 14) > 1.5 * seconds(one_block, 13));
}

TEST_CASE("a device file that cannot be read is an error that names it") {
  const auto gpu = vgpu::open("/nowhere/my.lua");
  REQUIRE_FALSE(gpu);
  CHECK(gpu.error().fault == Fault::input);
  CHECK(gpu.error().diagnostics[0].message ==
        "cannot read the device file '/nowhere/my.lua': No such file or directory");
  const auto folder = vgpu::open("/tmp");
  REQUIRE_FALSE(folder);
  CHECK(folder.error().diagnostics[0].message ==
        "cannot read the device file '/tmp': Is a directory");
}
