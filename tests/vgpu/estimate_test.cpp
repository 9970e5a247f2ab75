// Estimates of a launch: a part of the SMs and of the blocks stands for all of them.
#include "runtime/device/vgpu/estimate.h"

#include "sampled_kernels.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

constexpr std::uint32_t kThreads = 256;

struct Given {
  codegen::Program program;
  std::vector<codegen::Artifact> artifacts;
};

/// A kernel of `rows` rows for each thread, of which it needs at most four.
Given given(const std::string& body, std::uint32_t blocks, std::uint32_t rows = 4) {
  Probe probe;
  probe.keep_row_each(blocks, kThreads);
  probe.launch().record_extents = {blocks * rows, kThreads};
  probe.launch().sampled = true;
  codegen::Artifact artifact;
  artifact.entry = "probe";
  artifact.ptx = probe_ptx(kPlace + body);
  return {probe.program, {artifact}};
}

Estimate estimated(const EstimateRequest& request, const Given& of) {
  auto made = estimate(request, of.program, of.artifacts);
  if (!made) FAIL(render(made.error()));
  return std::move(*made);
}

}  // namespace

TEST_CASE("an estimate from some SMs and blocks is that of the whole grid") {
  EstimateRequest request;
  // A cache that takes new lines as the least recently used ones thrashes as all SMs together fill
  // it: no part of them shows that.
  const std::string lru =
      replaced(device_text("k20"), "insertion = { \"lru\"", "insertion = { \"mru\"");
  request.definition = replaced(lru, "count = { 13", "count = { 4");
  request.block_work = 200;
  for (const SampledKernel& kernel : chosen_kernels()) {
    const Given of = given(kernel.body, 4 * 8 * 24 + 5);
    request.whole = true;
    const Estimate whole = estimated(request, of);
    CHECK(whole.blocks_run == whole.blocks);
    request.whole = false;
    request.budget = 5e4;
    const Estimate part = estimated(request, of);
    CAPTURE(std::string(kernel.name));
    CHECK(part.sms_run < part.sms);
    CHECK(part.blocks_run < part.blocks / 2);
    CHECK(part.clocks == doctest::Approx(whole.clocks).epsilon(0.15));
  }
}

TEST_CASE("of clusters those of some GPCs stand for all") {
  EstimateRequest request;
  request.definition = device_text("hopper");
  request.block_work = 500;
  for (const char* body : {kWork, kLoad}) {
    Given of = given(rounds("60", hashed(1 << 14) + body) + kStore, 4 * 700);
    of.program.launches.front().cluster = 4;
    request.whole = true;
    const Estimate whole = estimated(request, of);
    CHECK(whole.blocks_run == whole.blocks);
    CHECK(whole.sms_run == 132);
    request.whole = false;
    request.budget = 2 * 500 * 400;
    const Estimate part = estimated(request, of);
    CHECK(part.sms_run < 24);
    CHECK(part.blocks_run < part.blocks / 6);
    CHECK(part.clocks == doctest::Approx(whole.clocks).epsilon(0.1));
  }
}

TEST_CASE("blocks that depend on each other are a sample where they are alike") {
  EstimateRequest request;
  request.definition = replaced(device_text("k20"), "count = { 13", "count = { 4");
  request.block_work = 200;
  request.budget = 5e4;
  Given of = given(rounds("40", kWork) + kStore, 4 * 8 * 24 + 5);
  of.program.launches.front().sampled = false;
  const Estimate whole = estimated(request, of);
  CHECK(whole.blocks_run == whole.blocks);
  request.alike = true;
  const Estimate part = estimated(request, of);
  CHECK(part.blocks_run < part.blocks / 2);
  CHECK(part.clocks == doctest::Approx(whole.clocks).epsilon(0.15));
  // Each waits for what another one writes.
  Given waits = given("  mov.u32 %r23, 7;\n" + std::string(kStore) +
                          std::string("  xor.b32 %r40, %r10, 256;\n  mul.wide.u32 %rd3, %r40, 4;\n"
                                      "  add.s64 %rd3, %rd1, %rd3;\nwait:\n"
                                      "  atom.global.add.u32 %r41, [%rd3], 0;\n"
                                      "  setp.ne.u32 %p2, %r41, 7;\n  @%p2 bra wait;\n"),
                      4 * 8 * 24);
  waits.program.launches.front().sampled = false;
  CHECK(estimated(request, waits).blocks_run == 4 * 8 * 24);
}

TEST_CASE("where all blocks are resident the SM with the longest ones ends the grid") {
  EstimateRequest request;
  request.definition = device_text("hopper");
  request.block_work = 2000;
  // 132 SMs get the blocks of one column of four each: one column is longer than the others.
  const std::string more =
      "  and.b32 %r30, %r2, 3;\n  setp.eq.u32 %p2, %r30, 2;\n"
      "  selp.u32 %r30, 400, 20, %p2;\n";
  const std::uint32_t blocks = 132 * 8;
  const Given of = given(more + rounds("%r30", kWork) + kStore, blocks);
  for (std::uint64_t at = 0; at < blocks; at += 3)
    request.executed.push_back({at, at % 4 == 2 ? 400.0 : 20.0});
  request.whole = true;
  const Estimate whole = estimated(request, of);
  request.whole = false;
  request.budget = 5e5;
  const Estimate part = estimated(request, of);
  CHECK(part.sms_run < part.sms / 4);
  CHECK(part.clocks == doctest::Approx(whole.clocks).epsilon(0.05));
  request.executed.clear();
  CHECK(estimated(request, of).clocks < 0.7 * whole.clocks);
}

TEST_CASE("blocks that all begin at once enter no more lines than those that follow each other") {
  EstimateRequest request;
  request.definition = replaced(device_text("k20"), "count = { 13", "count = { 4");
  request.block_work = 200;
  request.budget = 6400;
  // A word of each thread, in memory of which L2 holds a third.
  const Estimate part = estimated(request, given(kStore, 32, 64));
  CHECK(part.blocks_run == 16);
  CHECK(part.l2_lines == 32 * kThreads * 4 / 128);
}
