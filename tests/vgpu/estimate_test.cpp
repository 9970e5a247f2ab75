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

/// A kernel of one row for each thread.
Given given(const std::string& body, std::uint32_t blocks) {
  Probe probe;
  probe.keep_row_each(blocks, kThreads);
  probe.launch().record_extents = {blocks * 4, kThreads};
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
