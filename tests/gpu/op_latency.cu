// Latency and throughput of operations on one SM, written by hand: nothing of gpx is used here.
//
// Latency: one thread runs a dependent chain of N operations between two reads of the clock;
// throughput: 1024 threads run four chains each. Both are slopes between a shorter and a longer
// chain, so that what stands around the chains cancels; each is the smallest of the repetitions.
// Build: nvcc -std=c++17 -arch=sm_90 -O3 op_latency.cu
// Output, CSV: finding,threads,value (clocks, or operations a clock of the SM)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "check.h"

namespace {

using u32 = std::uint32_t;
using u64 = unsigned long long;

constexpr int kShort = 128, kLong = 512, kRepetitions = 20;

// One operation each: `step` is what a chain repeats. None of them can be folded into fewer.
#define OPERATION(NAME, TYPE, START, CONSTRAINT, TEXT)                       \
  struct NAME {                                                              \
    using Type = TYPE;                                                       \
    __device__ static Type start(u32 t) { return START; }                    \
    __device__ static void step(Type& r, Type x, Type y) {                   \
      asm volatile(TEXT : "+" CONSTRAINT(r) : CONSTRAINT(x), CONSTRAINT(y)); \
    }                                                                        \
  }
OPERATION(Imad, u32, t + 3, "r", "mad.lo.u32 %0, %0, %1, %2;");
OPERATION(Shl, u32, t + 3, "r", "shl.b32 %0, %0, %1;");
OPERATION(Popc, u32, t + 3, "r", "popc.b32 %0, %0;");
OPERATION(Fadd, float, t + 1.5f, "f", "add.f32 %0, %0, %1;");
OPERATION(Fmul, float, t + 1.5f, "f", "mul.f32 %0, %0, %1;");
OPERATION(Ffma, float, t + 1.5f, "f", "fma.rn.f32 %0, %0, %1, %2;");
OPERATION(Rsqrt, float, t + 1.5f, "f", "rsqrt.approx.ftz.f32 %0, %0;");
OPERATION(Sqrt, float, t + 1.5f, "f", "sqrt.approx.ftz.f32 %0, %0;");
OPERATION(Ex2, float, t + 1.5f, "f", "ex2.approx.ftz.f32 %0, %0;");
OPERATION(Lg2, float, t + 1.5f, "f", "lg2.approx.ftz.f32 %0, %0;");
OPERATION(Dadd, double, t + 1.5, "d", "add.rn.f64 %0, %0, %1;");
OPERATION(Dmul, double, t + 1.5, "d", "mul.rn.f64 %0, %0, %1;");
OPERATION(Dfma, double, t + 1.5, "d", "fma.rn.f64 %0, %0, %1, %2;");

/// Clocks from the first warp's start to the last warp's end, in result[0] and result[1].
template <typename Op, int N, int Chains>
__global__ void __launch_bounds__(1024) time_chain(u64* result, double x, double y, double never) {
  using T = typename Op::Type;
  const T a = static_cast<T>(x), b = static_cast<T>(y);
  T value[Chains];
  for (int c = 0; c < Chains; ++c) value[c] = Op::start(threadIdx.x * Chains + c);
  u64 start = 0, end = 0;
  // The first pass warms the instruction cache.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
      for (int c = 0; c < Chains; ++c) Op::step(value[c], a, b);
    // The end waits for every chain: a store that never happens.
    T sum = value[0];
#pragma unroll
    for (int c = 1; c < Chains; ++c) sum += value[c];
    if (sum == static_cast<T>(never)) result[2] = 1;
    __syncthreads();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
  }
  atomicMin(result, start);
  atomicMax(result + 1, end);
}

template <int N>
__global__ void __launch_bounds__(1024) time_barriers(u64* result, double, double, double) {
  u64 start = 0, end = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
  }
  atomicMin(result, start);
  atomicMax(result + 1, end);
}

using Kernel = void (*)(u64*, double, double, double);

double clocks(Kernel kernel, int threads) {
  static u64* device = nullptr;
  if (!device) CHECK(cudaMalloc(&device, 3 * sizeof *device));
  u64 best = ~0ull;
  for (int i = 0; i < kRepetitions; ++i) {
    const u64 initial[3] = {~0ull, 0, 0};
    u64 host[3];
    CHECK(cudaMemcpy(device, initial, sizeof initial, cudaMemcpyHostToDevice));
    kernel<<<1, threads>>>(device, 1.0009765625, 1.25, -12345.0);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    best = std::min(best, host[1] - host[0]);
  }
  return static_cast<double>(best);
}

double slope(Kernel shorter, Kernel longer, int threads) {
  return (clocks(longer, threads) - clocks(shorter, threads)) / (kLong - kShort);
}

template <typename Op>
void latency(const char* name) {
  std::printf("op.%s.latency,1,%.3f\n", name,
              slope(time_chain<Op, kShort, 1>, time_chain<Op, kLong, 1>, 1));
}

template <typename Op>
void throughput(const char* name) {
  const int threads = 1024, chains = 4;
  const double clocks_a_round =
      slope(time_chain<Op, kShort, chains>, time_chain<Op, kLong, chains>, threads);
  std::printf("op.%s.throughput,%d,%.3f\n", name, threads, threads * chains / clocks_a_round);
}

}  // namespace

int main() {
  std::printf("finding,threads,value\n");
  latency<Imad>("mad.lo.u32");
  latency<Shl>("shl.b32");
  latency<Popc>("popc.b32");
  latency<Fadd>("add.f32");
  latency<Fmul>("mul.f32");
  latency<Ffma>("fma.rn.f32");
  latency<Rsqrt>("rsqrt.approx.f32");
  latency<Sqrt>("sqrt.approx.f32");
  latency<Ex2>("ex2.approx.f32");
  latency<Lg2>("lg2.approx.f32");
  latency<Dadd>("add.f64");
  latency<Dmul>("mul.f64");
  latency<Dfma>("fma.rn.f64");
  throughput<Imad>("mad.lo.u32");
  throughput<Shl>("shl.b32");
  throughput<Popc>("popc.b32");
  throughput<Ffma>("fma.rn.f32");
  throughput<Rsqrt>("rsqrt.approx.f32");
  throughput<Ex2>("ex2.approx.f32");
  throughput<Dadd>("add.f64");
  throughput<Dfma>("fma.rn.f64");
  for (int threads : {32, 1024})
    std::printf("op.bar.sync.latency,%d,%.3f\n", threads,
                slope(time_barriers<kShort>, time_barriers<kLong>, threads));
  return 0;
}
