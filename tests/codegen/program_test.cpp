// Machine code of a whole cubin: codegen/sass/program.h, elf.h and line_table.h. Needs NVRTC for
// all but the errors.
#include "codegen/sass/program.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "codegen/compile/nvrtc.h"
#include "tests/left_out.h"

namespace gpx::codegen::sass::test {
namespace {

constexpr const char* kSource = R"(__device__ float twice(float x) {
  return x * 2.0f + __sinf(x);
}
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + twice(y[i]);
}
__global__ void other(float* y) { y[threadIdx.x] = sqrtf(y[threadIdx.x]); }
)";

std::vector<std::uint8_t> cubin_for(int sm, bool lines = true, const char* source = kSource) {
  const auto place = find_nvrtc();
  const auto nvrtc = Nvrtc::open(*place);
  if (!nvrtc) FAIL(render(nvrtc.error()));
  NvrtcRequest request;
  if (lines) request.options = {"-lineinfo"};
  const auto made = (*nvrtc)->compile(source, "a.cu", {Target::Form::cubin, sm}, request);
  if (!made) FAIL(render(made.error()));
  REQUIRE(made->ok);
  return made->cubin;
}

std::string refusal(std::span<const std::uint8_t> cubin, std::string_view entry = {}) {
  const auto program = read_program(cubin, "x.cubin", entry);
  REQUIRE_FALSE(program);
  CHECK(program.error().fault == Fault::input);
  return program.error().diagnostics.front().message;
}

const Statement* find(const Function& function, std::string_view opcode) {
  for (const Statement& statement : function.statements)
    if (statement.instruction.opcode.starts_with(opcode)) return &statement;
  return nullptr;
}

TEST_CASE("each function of a cubin with the lines of its source") {
  GPX_NEEDS_NVRTC();
  for (const int sm : {75, 80, 90, 100, 120}) {
    CAPTURE(sm);
    const auto cubin = cubin_for(sm);
    const auto program = read_program(cubin, "a.cubin");
    if (!program) FAIL(render(program.error()));
    CHECK(program->sm == sm);
    REQUIRE(program->functions.size() == 2);
    const auto saxpy = std::ranges::find(program->functions, "saxpy", &Function::name);
    REQUIRE(saxpy != program->functions.end());
    CHECK(saxpy->unknown == 0);
    // The sine comes from the inlined function, the store from its caller.
    const Statement* sine = find(*saxpy, "MUFU.SIN");
    const Statement* store = find(*saxpy, "STG");
    REQUIRE(sine);
    REQUIRE(store);
    CHECK(sine->line == 2);
    CHECK(store->line == 7);
    CHECK(store->file == "a.cu");
  }
}

TEST_CASE("what a header's functions became is of the line that called them") {
  GPX_NEEDS_NVRTC();
  const auto cubin = cubin_for(90, true, R"(
#line 70 "h.h"
__device__ __forceinline__ float sine(float x) { return __sinf(x); }
__device__ __forceinline__ float both(float x) {
  return sine(x) + 1;
}
#line 3 "a.cu"
__device__ __forceinline__ float own(float x) {
  return both(x);
}
extern "C" __global__ void other(float* y) {
  y[threadIdx.x] = own(y[threadIdx.x]);
}
extern "C" __global__ void k(float* y) {
  y[threadIdx.x] = sqrtf(y[threadIdx.x]);
  y[99] = both(y[threadIdx.x]);
})");
  for (const auto& [kernel, line] : {std::pair{"other", 4u}, {"k", 11u}}) {
    CAPTURE(kernel);
    const auto program = read_program(cubin, "a.cubin", kernel);
    REQUIRE(program);
    const Statement* sine = find(program->functions[0], "MUFU.SIN");
    REQUIRE(sine);
    CHECK(sine->line == 70);
    CHECK(sine->file == "h.h");
    CHECK(sine->own_line == line);
    CHECK(sine->own_file == "a.cu");
  }
}

TEST_CASE("a cubin without -lineinfo has code and no lines") {
  GPX_NEEDS_NVRTC();
  const auto cubin = cubin_for(90, false);
  const auto program = read_program(cubin, "a.cubin", "saxpy");
  REQUIRE(program);
  REQUIRE(program->functions.size() == 1);
  for (const Statement& statement : program->functions[0].statements) CHECK(statement.line == 0);
}

TEST_CASE("one function by its symbol or its name in C++") {
  GPX_NEEDS_NVRTC();
  const auto cubin = cubin_for(90);
  for (const char* entry : {"other", "_Z5otherPf"}) {
    const auto program = read_program(cubin, "a.cubin", entry);
    REQUIRE(program);
    REQUIRE(program->functions.size() == 1);
    CHECK(program->functions[0].name == "_Z5otherPf");
  }
  CHECK(refusal(cubin, "nobody") == "'x.cubin' has no kernel nobody");
}

TEST_CASE("what is no cubin is refused with the reason") {
  std::vector<std::uint8_t> file(64);
  CHECK(refusal({}) == "'x.cubin' is no cubin: it does not begin as an ELF file");
  std::ranges::copy(std::string_view("\x7f\x45LF"), file.begin());
  CHECK(refusal(std::span(file).first(20)) == "'x.cubin' is truncated: it ends inside its header");
  file[4] = 1;
  CHECK(refusal(file).starts_with("'x.cubin' is an ELF file of 32 bits"));
  file[4] = 2;
  file[5] = 1;
  file[0x12] = 62;
  CHECK(refusal(file) == "'x.cubin' is an ELF file for machine 62, not for an NVIDIA GPU (190)");
  file[0x12] = 190;
  CHECK(refusal(file) == "'x.cubin' holds no machine code");
  file[0x3c] = 5;
  CHECK(refusal(file) == "'x.cubin' is truncated: its list of sections is not whole");
}

TEST_CASE("a cubin cut anywhere is refused or read, and breaks nothing") {
  GPX_NEEDS_NVRTC();
  const auto cubin = cubin_for(90);
  const auto whole = read_program(cubin, "x.cubin");
  REQUIRE(whole);
  int refused = 0;
  for (std::size_t size = 0; size < cubin.size(); size += 61) {
    // Of its own memory, so that a sanitizer sees what is read behind it.
    const std::vector<std::uint8_t> cut(cubin.begin(),
                                        cubin.begin() + static_cast<std::ptrdiff_t>(size));
    const auto program = read_program(cut, "x.cubin");
    // Behind the list of sections stands nothing that is read.
    if (program)
      CHECK(program->functions.size() == whole->functions.size());
    else
      ++refused;
  }
  CHECK(refused > 100);
}

TEST_CASE("a damaged cubin breaks nothing") {
  GPX_NEEDS_NVRTC();
  const auto cubin = cubin_for(90);
  std::mt19937_64 random(1);
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    auto damaged = cubin;
    for (int k = 0; k < 1 + i % 8; ++k)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    // The list of sections and the line table are small: half of the damage goes there.
    const std::size_t begin = i % 2 == 0 ? damaged.size() - 25 * 64 : 0x818;
    damaged[begin + random() % 126] = static_cast<std::uint8_t>(random());
    if (const auto program = read_program(damaged, "x.cubin"); program) {
      for (const Function& function : program->functions) read += !function.statements.empty();
    } else {
      CHECK_FALSE(program.error().diagnostics.front().message.empty());
    }
  }
  CHECK(read > 1000);
}

TEST_CASE("control bits have one place each") {
  CHECK(
      control_text({.stall = 7, .yield = true, .writes = 2, .reads = 7, .waits = 3, .reuse = 5}) ==
      " 7 Y W2 R- 01---- A-C");
}

}  // namespace
}  // namespace gpx::codegen::sass::test
