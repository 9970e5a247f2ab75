// Accesses to shared memory and atomics through the compiler: lang/atomics.h, codegen/ir/ops.def.
#include <string>
#include <vector>

#include "codegen/compile/compile.h"
#include "codegen/proof/timed_region.h"
#include "lang/atomics.h"
#include "support.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

namespace gpx::codegen::test {
namespace {

/// Of the target what the one before has not.
std::vector<Kernel> kernels_of(int before, int sm) {
  std::vector<Kernel> kernels;
  for (const char* width : {"1B", "2B", "4B", "8B", "16B"})
    for (const char* kind : {"load", "store", "copy"})
      kernels.push_back(
          program_of(fmt::format("threads 64 < {} shared stride(16B) width {} x2 >", kind, width))
              .kernels.at(0));
  for (const AtomicName& one : atomic_names())
    for (const char* space : {"global", "shared"})
      if (one.row->sm <= sm && one.row->sm > before)
        kernels.push_back(
            program_of(fmt::format("threads 64 < {} {} same x2 >", one.name, space)).kernels.at(0));
  return kernels;
}

// ptxas says of every row whether the table's `sm` is right: at the first target that has it; with
// -C Thorough at every later one, too.
TEST_CASE("every access to shared memory and every atomic compiles, and its PTX is proven" *
          doctest::test_suite(gpx::test::kSamples)) {
  GPX_NEEDS_NVRTC();
  int before = 0;
  for (const int sm : {75, 80, 90}) {
    CAPTURE(sm);
    const std::vector<Kernel> kernels = kernels_of(before, sm);
    if (!gpx::test::thorough()) before = sm;
    CompileOptions options;
    options.cache = ArtifactCache("");
    const auto made = compile(kernels, {Target::Form::cubin, sm}, options, nullptr);
    if (!made) FAIL(render(made.error()));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      CAPTURE(kernels[i].name);
      Artifact ptx = made->at(i);
      ptx.cubin.clear();
      const RegionReport report = check_timed_region(kernels[i], ptx);
      CAPTURE(report.reason);
      CHECK(report.verdict == RegionReport::Verdict::verified);
    }
  }
}

TEST_CASE("an access to more shared memory than a block has is an error at the region") {
  const Source source("t.gpx", "threads 1024 < load shared unique(16B) width 16B x4 >");
  const auto experiments = check(*parse(source), source);
  REQUIRE(experiments);
  const auto program = lower(experiments->at(0), experiments->at(0).measures[0], source, Limits{});
  REQUIRE_FALSE(program);
  CHECK(render(program.error()).find("65536 bytes of shared memory: a block has 49152") !=
        std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
