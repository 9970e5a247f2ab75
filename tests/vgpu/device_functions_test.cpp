// CUDA's own functions where there is no toolkit (codegen/compile/clang/device.cuh): each gives on
// the virtual GPU what CUDA's documentation says it gives, by clang and, where it is, by NVRTC.
#include <cmath>
#include <string>
#include <vector>

#include "codegen/compile/clang/clang.h"
#include "codegen/compile/compiler.h"
#include "exec_support.h"
#include "tests/left_out.h"

using namespace gpx;
using namespace gpx::vgpu;
using exec::Device;

namespace {

constexpr codegen::Target kPtx{codegen::Target::Form::ptx, 75};

struct Row {
  const char* expression;  ///< In thread 3 of 32: t is 3, f is 2.5f, d is 2.5, a is 40.
  double value;
  double within = 0;  ///< Relative.
};

const Row kRows[] = {
    {"threadIdx.x + 10 * blockDim.x + 100 * gridDim.x + blockIdx.x", 3 + 320 + 100},
    {"warpSize", 32},
    {"__ballot_sync(~0u, t < 5)", 31},
    {"__any_sync(~0u, t == 31)", 1},
    {"__all_sync(~0u, t == 31)", 0},
    {"__popc(__activemask())", 32},
    {"__shfl_sync(~0u, a, 7)", 44},
    {"__shfl_up_sync(~0u, a, 2)", 38},
    {"__shfl_down_sync(~0u, f, 2)", 4.5},
    {"__shfl_xor_sync(~0u, a, 1)", 39},
    {"__shfl_sync(~0u, a, 1, 2)", 40},
    {"__syncthreads_count(t < 7)", 7},
    {"__syncthreads_or(t == 9)", 1},
    {"__syncthreads_and(t == 9)", 0},
    {"min(a, 7) + max(a, 50) + abs(-a)", 7 + 50 + 40},
    {"min(f, 1.0f) + max(d, 9.0)", 10},
    {"__popc(0xf0f0u) + __popcll(~0ull) + __clz(1) + __clz(0) + __clzll(1)", 8 + 64 + 31 + 32 + 63},
    {"__ffs(8) + __ffs(0)", 4},
    {"__brev(1u)", 2147483648.0},
    {"__mulhi(1 << 30, 8) + __umulhi(1u << 31, 8u)", 2 + 4},
    {"__umul64hi(1ull << 63, 8ull) + __mul64hi(1ll << 62, 8ll)", 4 + 2},
    {"__mul24(a, 3) + __umul24(a, 2u)", 200},
    {"__int_as_float(__float_as_int(f)) + __uint_as_float(__float_as_uint(f))", 5},
    {"__longlong_as_double(__double_as_longlong(d))", 2.5},
    {"fabsf(-f) + fabs(-d) + fminf(f, 1) + fmaxf(f, 1) + fmin(d, 1) + fmax(d, 1)", 5 + 3.5 + 3.5},
    {"fmaf(f, 2, 1) + fma(d, 2, 1)", 12},
    {"floorf(f) + ceilf(f) + truncf(-f) + floor(d) + ceil(d) + trunc(-d)", 6},
    {"sqrtf(f * f) + sqrt(d * d)", 5},
    {"rsqrtf(4 * f)", 0.31622776, 1e-6},
    {"expf(f)", 12.182494, 1e-5},
    {"__expf(f)", 12.182494, 1e-5},
    {"logf(f)", 0.91629073, 1e-5},
    {"log2f(f) + exp2f(f)", 1.3219281 + 5.6568542, 1e-5},
    {"sinf(f)", 0.59847214, 1e-4},
    {"cosf(f)", -0.80114362, 1e-4},
    {"powf(f, 3)", 15.625, 1e-5},
    {"__fdividef(f, 2)", 1.25, 1e-6},
    {"make_float4(1, 2, 3, 4).w + make_int2(5, 6).y + make_double2(7, 8).x", 17},
    {"__ldg(in + t) + __ldcg(in + t) + __ldca(in + t) + __ldcs(in + t) + __ldcv(in + t)", 5 * 13},
};

std::string kernel_text() {
  std::string text =
      "extern \"C\" __global__ void k(double* out, const int* in) {\n"
      "  const int t = threadIdx.x, a = 37 + t;\n"
      "  const float f = t - 0.5f;\n  const double d = f;\n  double value;\n";
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    text += fmt::format("  value = {};\n  if (t == 3) out[{}] = value;\n", kRows[i].expression, i);
  return text + "}\n";
}

void check_rows(const codegen::Compiler& compiler) {
  const auto made = compiler.compile(kernel_text(), "k.cu", kPtx);
  if (!made) FAIL(render(made.error()));
  REQUIRE_MESSAGE(made->ok, made->log);
  Device device(made->ptx);
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[static_cast<std::size_t>(i)] = 10 + i;
  const auto from = device.buffer(in);
  const auto to = device.buffer(std::vector<double>(std::size(kRows)));
  device.run("k", exec::grid_of(1, 32), to, from);
  const auto values = device.read<double>(to, std::size(kRows));
  for (std::size_t i = 0; i < values.size(); ++i) {
    CAPTURE(kRows[i].expression);
    CAPTURE(values[i]);
    CHECK(std::fabs(values[i] - kRows[i].value) <= kRows[i].within * std::fabs(kRows[i].value));
  }
}

const char* kAtomics =
    "extern \"C\" __global__ void k(int* i, unsigned* u, unsigned long long* l, float* f) {\n"
    "  const int t = threadIdx.x;\n"
    "  atomicAdd(i, t); atomicSub(i + 1, t); atomicMin(i + 2, t); atomicMax(i + 3, t);\n"
    "  atomicOr(u, 1u << t); atomicAnd(u + 1, ~(1u << t)); atomicXor(u + 2, 1u << t);\n"
    "  if (t == 0) { u[3] = atomicExch(u + 4, 9u); u[5] = atomicCAS(u + 6, 6u, 60u);\n"
    "    u[7] = atomicCAS(u + 8, 0u, 60u); }\n"
    "  atomicAdd(l, 1ull << 40); atomicMax(l + 1, (unsigned long long)t << 40);\n"
    "  atomicMin(l + 2, (unsigned long long)t + 5);\n"
    "  atomicAdd(f, 0.5f);\n"
    "}\n";

void check_atomics(const codegen::Compiler& compiler) {
  const auto made = compiler.compile(kAtomics, "k.cu", kPtx);
  if (!made) FAIL(render(made.error()));
  REQUIRE_MESSAGE(made->ok, made->log);
  Device device(made->ptx);
  const auto i = device.buffer(std::vector<int>{1, 1, 7, -7});
  const auto u = device.buffer(std::vector<unsigned>{0, ~0u, 5, 5, 4, 5, 6, 7, 8});
  const auto l = device.buffer(std::vector<unsigned long long>{0, 0, 99});
  const auto f = device.buffer(std::vector<float>{1});
  device.run("k", exec::grid_of(1, 32), i, u, l, f);
  CHECK(device.read<int>(i, 4) == std::vector<int>{497, -495, 0, 31});
  CHECK(device.read<unsigned>(u, 9) == std::vector<unsigned>{~0u, 0, ~5u, 4, 9, 6, 60, 8, 8});
  CHECK(device.read<unsigned long long>(l, 3) ==
        std::vector<unsigned long long>{32ull << 40, 31ull << 40, 5});
  CHECK(device.read<float>(f, 1) == std::vector<float>{17});
}

}  // namespace

TEST_CASE("clang's functions give what CUDA's give") {
  GPX_NEEDS_CLANG();
  check_rows(**codegen::find_clang());
  check_atomics(**codegen::find_clang());
}

TEST_CASE("NVRTC's functions give what the table says") {
  GPX_NEEDS_NVRTC();
  check_rows(**codegen::find_nvrtc_compiler());
  check_atomics(**codegen::find_nvrtc_compiler());
}
