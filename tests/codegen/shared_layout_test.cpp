// Static and dynamic shared memory of a generated kernel: codegen/ir/shared_layout.h.
#include "codegen/ir/shared_layout.h"

#include "bodies.h"
#include "codegen/compile/compile.h"
#include "codegen/emit/emit.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

Experiment chasing_shared(double bytes) {
  Experiment made = experiment_of({chase("a", 20)}, Observe::average, 1);
  made.arrays = {array_of("a", Space::shared, bytes, stride(64), 4)};
  return made;
}

TEST_CASE("dynamic_shared_to_the_limit: up to 48 KB are static, more is dynamic") {
  const Limits limits{.shared_per_block = 227 << 10};
  const Program fits = lowered(chasing_shared(48 << 10), limits);
  CHECK(fits.launches.front().shared_bytes == 0);
  CHECK(emit_cuda(fits.kernels.front(), "").find("__shared__ u32 array_a_own") !=
        std::string::npos);

  const Program larger = lowered(chasing_shared(200 << 10), limits);
  CHECK(larger.launches.front().shared_bytes == 200 << 10);
  const std::string cuda = emit_cuda(larger.kernels.front(), "");
  CHECK(cuda.find("extern __shared__ __align__(128) unsigned char dynamic_shared[];") !=
        std::string::npos);
  CHECK(cuda.find("u32* const array_a_own = (u32*)(dynamic_shared + 0);") != std::string::npos);
}

TEST_CASE("dynamic_shared_to_the_limit: the assembler takes it, and the region is verified") {
  GPX_NEEDS_NVRTC();
  const Program program = lowered(chasing_shared(200 << 10), {.shared_per_block = 227 << 10});
  const Folder folder;
  CompileOptions options;
  options.cache = ArtifactCache(folder.string());
  const auto made = compile(program.kernels, {Target::Form::cubin, 90}, options, nullptr);
  CHECK_MESSAGE(made, (made ? "" : render(made.error())));
}

}  // namespace
}  // namespace gpx::codegen::test
