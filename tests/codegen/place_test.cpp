// Placed blocks, what runs beside them, code of a size, and what an SM is set to.
#include <doctest/doctest.h>

#include "codegen/emit/emit.h"
#include "tests/codegen/support.h"

namespace gpx::codegen::test {
namespace {

Limits limits() {
  Limits made;
  made.sm_count = 30;
  made.instruction_bytes = 8;
  made.bank_widths = {4, 8};
  made.shared_split = 48 << 10;
  return made;
}

std::uint64_t scalar(const Program& program, std::size_t launch, std::string_view name) {
  const std::vector<std::string> names = program.kernels[0].scalars();
  const auto at = std::find(names.begin(), names.end(), name);
  REQUIRE(at != names.end());
  return program.launches[launch].scalars[static_cast<std::size_t>(at - names.begin())];
}

TEST_CASE("a placed block is told its SM, and those beside it theirs") {
  const Program program = program_of(
      "experiment e {\n  sweep other in [0, 5]\n  array a : constant[1KB] chase(stride 64B)\n"
      "  array b : constant[2KB] chase(stride 64B)\n"
      "  beside sm other if other > 0 { load b x32 chain }\n  < load a x16 chain >\n}\n",
      limits());
  REQUIRE(program.kernels.size() == 1);
  const Kernel& kernel = program.kernels[0];
  CHECK(kernel.placed);
  REQUIRE(kernel.beside.size() == 1);
  CHECK(program.launches[0].placed == 1);
  CHECK(program.launches[1].placed == 2);
  CHECK(program.launches[1].blocks == 60);
  CHECK(scalar(program, 0, "sm1") == 0xffffffff);
  CHECK(scalar(program, 1, "sm0") == 0);
  CHECK(scalar(program, 1, "sm1") == 5);
  CHECK(scalar(program, 1, "blocks_met") == 2);
  CHECK(scalar(program, 1, "accesses1") == 32);
  CHECK(program.launches[1].contents.size() == 2);
  CHECK(kernel.result_slots() == program.results.size());
  CHECK(program.results[4].name == kMet);
}

TEST_CASE("the kernel reads back as printed and is CUDA of one meeting") {
  const Program program = program_of(
      "array a : constant[1KB] chase(stride 64B) beside sm 1 { load a x4 chain } "
      "beside sm 2 { code 1KB } < load a from warp x16 chain >\n",
      limits());
  const Kernel& kernel = program.kernels[0];
  const auto parsed = parse_kernels(Source("kernel", to_string(kernel)));
  if (!parsed) FAIL(render(parsed.error()));
  CHECK(parsed->front() == kernel);
  CHECK(verify(kernel));
  const std::string cuda = emit_cuda(kernel);
  CHECK(cuda.find("role == 2") != std::string::npos);
  CHECK(cuda.find("sm == (u32)sm2") != std::string::npos);
}

TEST_CASE("code of a size is so many instructions of the device") {
  for (const std::uint32_t size : {8u, 16u}) {
    Limits device = limits();
    device.instruction_bytes = size;
    const Program program = program_of("< code 4KB >\n", device);
    const Instruction& operate = program.kernels[0].timed.front();
    CHECK(operate.op == Op::operate);
    CHECK(operate.count == 4096 / size);
  }
  CHECK(complaint("< code 100B >\n", limits()).find("are not whole instructions") !=
        std::string::npos);
}

TEST_CASE("a chase begins at an element that the thread computes") {
  const Program program = program_of(
      "array a : global[1KB] chase(stride 64B) threads 64 < load a from warp x4 chain >\n");
  CHECK(scalar(program, 0, "elements0") == 16);
  CHECK(scalar(program, 0, "distance0") == 64);
}

TEST_CASE("what a device does not have is refused where it is asked for") {
  Limits plain = limits();
  plain.bank_widths = {4};
  plain.shared_split = 0;
  CHECK(
      complaint("bank_width 8B < load unique(128B) >\n", plain)
          .find(
              "test.gpx:1:12: error: a bank width of 8 B: the banks of this device are 4 B wide") !=
      std::string::npos);
  CHECK(complaint("carveout 50 < load unique(128B) >\n", plain)
            .find("test.gpx:1:10: error: this "
                  "device has no memory") != std::string::npos);
  CHECK(complaint("place sm 30 < code 1KB >\n", limits())
            .find("there is no SM 30: the device has 30") != std::string::npos);
  CHECK(
      complaint(
          "array s : shared[1KB] chase(stride 64B) beside sm 1 { load s x4 chain } < code 1KB >\n",
          limits())
          .find("shared memory is of a block alone") != std::string::npos);
}

TEST_CASE("the settings of an SM go with the launch") {
  const Program program = program_of(
      "sweep share in [0, 25, 100] bank_width 8B carveout share < load unique(128B) >\n", limits());
  CHECK(program.launches[0].bank_width == 8);
  CHECK(program.launches[0].carveout == 0);
  CHECK(program.launches[1].carveout == 12288);
  CHECK(program.launches[2].carveout == 49152);
}

}  // namespace
}  // namespace gpx::codegen::test
