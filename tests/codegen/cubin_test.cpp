// What is read from a cubin: codegen/sass/cubin.h. Needs NVRTC, no GPU.
#include "codegen/sass/cubin.h"

#include <vector>

#include "codegen/compile/compile.h"
#include "operation_support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

Result<std::vector<Artifact>> compiled(const Kernel& kernel) {
  CompileOptions options;
  options.cache = ArtifactCache("");
  return compile(std::span(&kernel, 1), {Target::Form::cubin, 90}, options, nullptr);
}

std::vector<std::uint8_t> cubin_of(int streams) {
  const auto made = compiled(operating("fma.rn.f32", 2 * streams, streams));
  if (!made) FAIL(render(made.error()));
  CHECK(made->front().registers == cubin_registers(made->front().cubin));
  return made->front().cubin;
}

TEST_CASE("a kernel with more chains takes more registers") {
  GPX_NEEDS_NVRTC();
  const std::uint32_t few = cubin_registers(cubin_of(1)), many = cubin_registers(cubin_of(64));
  CHECK(few >= 8);
  CHECK(few <= 40);
  CHECK(many >= 64);
  CHECK(many <= 128);
}

TEST_CASE("a kernel takes exactly the registers that are asked for") {
  GPX_NEEDS_NVRTC();
  for (const std::uint32_t registers : {24u, 25u, 41u, 88u, 127u, 128u, 200u, 255u}) {
    CAPTURE(registers);
    Kernel kernel = operating("fma.rn.f32", 8, 2);
    kernel.exact_registers = registers;
    const auto made = compiled(kernel);
    if (!made) FAIL(render(made.error()));
    CHECK(made->front().registers == registers);
    CHECK(cubin_registers(made->front().cubin) == registers);
  }
}

TEST_CASE("fewer registers than the kernel needs are an error that says how many it needs") {
  GPX_NEEDS_NVRTC();
  Kernel kernel = operating("fma.rn.f32", 8, 2);
  kernel.exact_registers = 8;
  const auto made = compiled(kernel);
  REQUIRE(!made);
  CHECK(made.error().diagnostics.front().message.starts_with("registers 8: the compiler uses "));
}

TEST_CASE("a damaged cubin has no registers and does no harm") {
  GPX_NEEDS_NVRTC();
  CHECK(cubin_registers({}) == 0);
  const std::vector<std::uint8_t> sound = cubin_of(1);
  for (std::size_t size = 0; size < sound.size(); size += 37)
    CHECK(cubin_registers(std::span(sound).first(size)) <= 40);
  for (std::size_t at = 0; at < 64; ++at) {
    std::vector<std::uint8_t> broken = sound;
    broken[at] = 0xff;
    CHECK(cubin_registers(broken) <= 40);
  }
}

}  // namespace
}  // namespace gpx::codegen::test
