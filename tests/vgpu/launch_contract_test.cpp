// What a launch finds and leaves on the virtual GPU (codegen/ir/program.h): records, laid-out
// arrays in global, texture and constant memory, and outcomes.
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using codegen::Buffer;
using codegen::ChaseContents;

namespace {

ChaseContents stride(std::uint64_t bytes, std::uint64_t step, std::uint32_t width = 4) {
  return {Array::Layout::Kind::stride, bytes, width, {step}};
}

/// Eight steps of the chase in `load`, which reads `%r3` bytes from the array's start.
std::string chase(const std::string& load) {
  std::string body = "  mov.u32 %r3, 0;\n  mov.u32 %r4, 0;\n";
  for (int i = 0; i < 8; ++i) body += load + "  mad.lo.u32 %r4, %r4, 10, %r3;\n";
  return body + "  cvt.u64.u32 %rd2, %r4;\n" + store_row(1, "%rd2");
}

/// What eight steps through elements 0, step, ... of an array of `count` elements give.
std::uint64_t visited(std::uint32_t count, std::uint32_t step) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 1; i <= 8; ++i) sum = sum * 10 + i % count * step;
  return sum;
}

const std::string kGlobal =
    "  cvt.u64.u32 %rd5, %r3;\n  add.s64 %rd5, %rd4, %rd5;\n  ld.global.u32 %r3, [%rd5];\n";
const std::string kTexture =
    "  shr.u32 %r5, %r3, 2;\n  tex.1d.v4.u32.s32 {%r3, %r6, %r7, %r8}, [%rd4, {%r5}];\n";
const std::string kConstant = "  ld.const.u32 %r3, [%r3+256];\n";  // `links` lies behind `other`

std::uint64_t value(const Result<Repetition>& run) {
  if (!run) FAIL(render(run.error()));
  REQUIRE(run->results.size() == 1);
  return run->results[0];
}

}  // namespace

TEST_CASE("an SM keeps for the system what it takes of each block's shared memory") {
  const auto hopper = open_text(device_text("hopper")), gtx280 = open_text(device_text("gtx280"));
  const std::string wait =
      "  mov.u32 %r3, 0;\nagain:\n  add.u32 %r3, %r3, 1;\n  setp.lt.u32 %p1, %r3, 1000;\n"
      "  @%p1 bra again;\n";
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx = probe_ptx(wait + "  cvt.u64.u32 %rd2, %r3;\n" + store_row(32, "%rd2"));
  const auto seconds = [&](Backend& gpu, std::uint64_t shared, std::uint32_t resident) {
    CAPTURE(shared);
    const std::uint32_t blocks = 2 * gpu.info().sm_count;
    Probe probe;
    probe.keep_row_each(blocks, 32);
    probe.launch().shared_bytes = shared;
    REQUIRE(gpu.load(probe.program, std::span(&artifact, 1)));
    CHECK(*gpu.resident_blocks(probe.launch()) == resident);
    return probe.run_or_fail(gpu, artifact.ptx).seconds;
  };
  CHECK(seconds(*hopper, 114 << 10, 1) > 1.5 * seconds(*hopper, 113 << 10, 2));
  CHECK(seconds(*gtx280, 8 << 10, 1) > 1.5 * seconds(*gtx280, 7 << 10, 2));
  CHECK(hopper->info().shared_per_block == 227 << 10);
  CHECK(hopper->info().reserved_shared_per_block == 1 << 10);
  Probe probe;
  probe.keep_row_each(1, 32);
  probe.launch().shared_bytes = 228 << 10;
  const auto refused = probe.run(*hopper, artifact.ptx);
  REQUIRE(!refused);
  CHECK(render(refused.error())
            .find("needs 233472 B of shared memory and 1024 B that the system "
                  "takes") != std::string::npos);
}

TEST_CASE("a chase is laid out in global, texture and constant memory") {
  const auto gpu = open_text(device_text("gtx280"));
  const std::string pointer = "  ld.param.u64 %rd4, [p1];\n";
  for (const auto& [place, ptx] :
       {std::pair{Buffer::Place::global, probe_ptx(pointer + chase(kGlobal), 1)},
        std::pair{Buffer::Place::texture, probe_ptx(pointer + chase(kTexture), 1)},
        std::pair{
            Buffer::Place::constant,
            probe_ptx(chase(kConstant), 0, "",
                      ".const .align 4 .b8 other[256];\n.const .align 4 .b8 links[4096];\n")}}) {
    for (const std::uint32_t count : {3u, 8u, 5u}) {
      const int memory = static_cast<int>(place);
      CAPTURE(memory);
      Probe probe;
      probe.keep_row_each(1, 1);
      probe.program.buffers = {{"links", 4096, false, place, true}};
      probe.launch().contents = {stride(count * 64, 64)};
      CHECK(value(probe.run(*gpu, ptx)) == visited(count, 64));
    }
  }
}

TEST_CASE("each job finds its own contents, and the fixed hash everywhere else") {
  const auto gpu = open_text(device_text("gtx280"));
  Probe probe;
  probe.keep_row_each(1, 1);
  probe.program.buffers = {{"links", 4096, false, Buffer::Place::global, true}};
  // The sum of the first 64 words.
  std::string body = "  ld.param.u64 %rd4, [p1];\n  mov.u32 %r4, 0;\n";
  for (int i = 0; i < 64; ++i)
    body += fmt::format("  ld.global.u32 %r3, [%rd4+{}];\n  add.u32 %r4, %r4, %r3;\n", 4 * i);
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx = probe_ptx(body + "  cvt.u64.u32 %rd2, %r4;\n" + store_row(1, "%rd2"), 1);
  REQUIRE(gpu->load(probe.program, std::span(&artifact, 1)));
  const ChaseContents contents[] = {stride(256, 32), stride(128, 64, 8), stride(256, 32)};
  std::vector<codegen::Launch> launches(3, probe.launch());
  std::vector<Job> jobs;
  for (int i = 0; i < 3; ++i) {
    launches[i].contents = {contents[i]};
    jobs.push_back({&launches[i], 1, 1});
  }
  const std::atomic<bool> stop = false;
  const auto results = gpu->run(jobs, stop);
  REQUIRE(results);
  for (int i = 0; i < 3; ++i) {
    std::vector<std::uint32_t> words(64);
    for (std::uint32_t w = 0; w < 64; ++w) words[w] = codegen::initial_word(w);
    const auto order = codegen::visit_order(contents[i]);
    for (std::size_t k = 0; k < order.size(); ++k) {
      words[order[k] / 4] = static_cast<std::uint32_t>(order[(k + 1) % order.size()]);
      if (contents[i].width == 8) words[order[k] / 4 + 1] = 0;
    }
    std::uint32_t sum = 0;
    for (const std::uint32_t word : words) sum += word;
    CHECK((*results)[i].repetitions[0].results[0] == sum);
  }
}

TEST_CASE("records lie behind the results, and what no thread writes stays kNotKept") {
  const auto gpu = open_text(device_text("gtx280"));
  Probe probe;
  probe.program.results = {{"latency", 7, codegen::ResultSlot::Role::sample}};
  probe.program.records = {{{"thread", {}}, {"stamp", {}}}, {"clock", "sm"}};
  probe.launch().threads = 4;
  probe.launch().record_extents = {4, 2};
  // Thread t writes both columns of its stamp 1, but for thread 2.
  const auto run = probe.run_or_fail(
      *gpu, probe_ptx("  setp.eq.u32 %p1, %r1, 2;\n  shl.b32 %r3, %r1, 1;\n  add.u32 %r3, %r3, 1;\n"
                      "  mul.wide.u32 %rd2, %r3, 16;\n  add.s64 %rd2, %rd1, %rd2;\n"
                      "  cvt.u64.u32 %rd3, %r1;\n  @!%p1 st.global.u64 [%rd2+8], %rd3;\n"
                      "  @!%p1 st.global.u64 [%rd2+16], 50;\n"));
  REQUIRE(run.results.size() == 1 + 4 * 2 * 2);
  CHECK(run.results[0] == 7);
  for (std::uint64_t row = 0; row < 8; ++row) {
    const bool written = row % 2 == 1 && row != 5;
    CHECK(run.results[1 + 2 * row] == (written ? row / 2 : codegen::kNotKept));
    CHECK(run.results[2 + 2 * row] == (written ? 50 : codegen::kNotKept));
  }
}

TEST_CASE("what does not fit the contract is an error that says so") {
  const auto gpu = open_text(device_text("gtx280"));
  Probe probe;
  probe.keep_row_each(1, 1);
  probe.program.buffers = {{"links", 4096, false, Buffer::Place::constant, true}};
  const auto without = probe.run(*gpu, probe_ptx(store_row(1, "%rd1")));
  REQUIRE_FALSE(without);
  CHECK(without.error().diagnostics[0].message ==
        "kernel 'probe', 1 block of 1 thread: 0 contents for 1 buffers");
  const auto small =
      probe.run(*gpu, probe_ptx(store_row(1, "%rd1"), 0, "", ".const .align 4 .b8 links[4092];\n"));
  REQUIRE_FALSE(small);
  CHECK(small.error().diagnostics[0].message ==
        "kernel 'probe': the constant array 'links' has 4092 B, the buffer 4096 B");
}
