// Latency and throughput of matrix products of a warp and of loads and stores of matrices, written by
// hand: nothing of gpx is used here.
//
// Latency: one warp runs a chain of N executions, each of which needs what the one before gave, between
// two reads of the clock. Throughput: warps of four chains each. Both are slopes between a shorter and a
// longer chain, each the smallest of the repetitions. (A product of 8-bit floats is a call of other
// instructions on sm_90, of which the assembler takes all but an addition out of such a chain.)
// Build: nvcc -std=c++17 -arch=sm_90 -O3 matrix.cu
// Output, CSV: name,latency in clocks,clocks of an SM for one more execution of all warps,warps
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "check.h"

namespace {

using u32 = std::uint32_t;
using u64 = unsigned long long;

constexpr int kShort = 32, kLong = 128, kRepetitions = 20, kChains = 4;

// Words that one chain carries from execution to execution, and how: `step` is one execution.
#define PRODUCT(NAME, TEXT)                                                                         \
  struct NAME {                                                                                     \
    static constexpr const char* name = #NAME;                                                      \
    __device__ static void step(u32 (&r)[4], const u32 (&x)[4], const u32 (&y)[4], u32) {           \
      asm volatile(TEXT                                                                             \
                   : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])                                 \
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]),   \
                     "r"(y[3]));                                                                    \
    }                                                                                               \
  }
PRODUCT(mma_m16n8k16_f32_f16,
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};");
PRODUCT(mma_m16n8k16_f16,
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1};");
PRODUCT(mma_m16n8k8_f32_f16,
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%8}, {%0,%1,%2,%3};");
PRODUCT(mma_m16n8k8_f32_tf32,
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};");
PRODUCT(mma_m16n8k32_s32_s8,
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};");
PRODUCT(mma_m8n8k16_s32_s8,
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%4}, {%8}, {%0,%1};");
PRODUCT(mma_sp_m16n8k32_f32_f16,
        "{.reg .b32 m; mov.b32 m, 0x44444444; mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9,%10,%11}, {%0,%1,%2,%3}, m, 0x0;}");
PRODUCT(mma_sp_m16n8k16_f32_f16,
        "{.reg .b32 m; mov.b32 m, 0x44444444; mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%8,%9}, "
        "{%0,%1,%2,%3}, m, 0x0;}");

#define PRODUCT_F64(NAME, TEXT)                                                                     \
  struct NAME {                                                                                     \
    static constexpr const char* name = #NAME;                                                      \
    __device__ static void step(double (&r)[4], const double (&x)[8], const double (&y)[4], u32) {  \
      asm volatile(TEXT                                                                             \
                   : "+d"(r[0]), "+d"(r[1]), "+d"(r[2]), "+d"(r[3])                                 \
                   : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]),   \
                     "d"(x[7]), "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]));                        \
    }                                                                                               \
  }
PRODUCT_F64(mma_m8n8k4_f64,
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%4}, {%12}, {%0,%1};");
PRODUCT_F64(mma_m16n8k4_f64,
            "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%12}, "
            "{%0,%1,%2,%3};");
PRODUCT_F64(mma_m16n8k8_f64,
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%12,%13}, "
            "{%0,%1,%2,%3};");
PRODUCT_F64(mma_m16n8k16_f64,
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
            "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};");

// The words that are loaded are addresses of rows: what the next one loads.
#define LOAD(NAME, TEXT)                                                                            \
  struct NAME {                                                                                     \
    static constexpr const char* name = #NAME;                                                      \
    __device__ static void step(u32 (&r)[4], const u32 (&)[4], const u32 (&)[4], u32) {             \
      asm volatile(TEXT : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])::"memory");                \
    }                                                                                               \
  }
LOAD(ldmatrix_x1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];");
LOAD(ldmatrix_x2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%0];");
LOAD(ldmatrix_x4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%0];");

// Each lane stores its own address where it is already, and loads it again.
LOAD(stmatrix_x1_load_x1,
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%0};\n"
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];");
LOAD(stmatrix_x2_load_x2,
     "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%0,%1};\n"
     "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%0];");
LOAD(stmatrix_x4_load_x4,
     "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%0,%1,%2,%3};\n"
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%0];");
LOAD(stmatrix_x2_load_x1,
     "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%0,%1};\n"
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];");
LOAD(stmatrix_x4_load_x1,
     "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%0,%1,%2,%3};\n"
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];");

template <typename T>
__device__ T value(u32 i);
template <>
__device__ u32 value<u32>(u32 i) {
  return 0x3c003c00u + i;
}
template <>
__device__ double value<double>(u32 i) {
  return 1.0 + i;
}

template <typename Op, typename T, int A, int N, int Chains>
__global__ void __launch_bounds__(1024) chain(u64* result, u32 never) {
  // 16 bytes for each lane, of which each word is that lane's own address.
  __shared__ __align__(128) u32 rows[32 * 4];
  const u32 lane = threadIdx.x % 32;
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(rows)) + lane * 16;
  if (threadIdx.x < 32) {
    // Of a row of eight halves, lane 4 r + k gets the k-th word: it is to be the address of row 4 r + k.
    const u32 base = static_cast<u32>(__cvta_generic_to_shared(rows));
    for (int k = 0; k < 4; ++k) rows[lane * 4 + k] = base + ((lane * 4 + k) % 32) * 16;
  }
  __syncthreads();
  T r[Chains][4], x[A], y[4];
  for (int i = 0; i < A; ++i) x[i] = value<T>(threadIdx.x + i);
  for (int i = 0; i < 4; ++i) y[i] = value<T>(threadIdx.x + 4 + i);
  for (int c = 0; c < Chains; ++c)
    for (int i = 0; i < 4; ++i) r[c][i] = sizeof(T) == 4 && never != 1 ? static_cast<T>(at) : value<T>(i);
  u64 start = 0, end = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
      for (int c = 0; c < Chains; ++c) Op::step(r[c], x, y, never);
    T sum = r[0][0];
    for (int c = 1; c < Chains; ++c) sum += r[c][0];
    if (sum == static_cast<T>(never)) result[2] = 1;
    __syncthreads();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
  }
  atomicMin(result, start);
  atomicMax(result + 1, end);
}

using Kernel = void (*)(u64*, u32);

double clocks(Kernel kernel, int threads) {
  static u64* device = nullptr;
  if (!device) CHECK(cudaMalloc(&device, 3 * sizeof *device));
  u64 best = ~0ull;
  for (int i = 0; i < kRepetitions; ++i) {
    const u64 initial[3] = {~0ull, 0, 0};
    u64 host[3];
    CHECK(cudaMemcpy(device, initial, sizeof initial, cudaMemcpyHostToDevice));
    kernel<<<1, threads>>>(device, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    best = std::min(best, host[1] - host[0]);
  }
  return static_cast<double>(best);
}

double slope(Kernel shorter, Kernel longer, int threads) {
  return (clocks(longer, threads) - clocks(shorter, threads)) / (kLong - kShort);
}

template <typename Op, typename T = u32, int A = 4>
void both(int warps = 32) {
  const double latency = slope(chain<Op, T, A, kShort, 1>, chain<Op, T, A, kLong, 1>, 32);
  const double round =
      slope(chain<Op, T, A, kShort, kChains>, chain<Op, T, A, kLong, kChains>, 32 * warps);
  std::printf("%s,%.3f,%.3f,%d\n", Op::name, latency, round / kChains, warps);
}

}  // namespace

int main() {
  std::printf("name,latency,clocks of one more of all warps,warps\n");
  both<mma_m16n8k16_f32_f16>();
  both<mma_m16n8k16_f16>();
  both<mma_m16n8k8_f32_f16>();
  both<mma_m16n8k8_f32_tf32>();
  both<mma_m16n8k32_s32_s8>();
  both<mma_m8n8k16_s32_s8>();
  both<mma_sp_m16n8k16_f32_f16>();
  both<mma_sp_m16n8k32_f32_f16>();
  both<mma_m8n8k4_f64, double, 8>();
  both<mma_m16n8k4_f64, double, 8>();
  both<mma_m16n8k8_f64, double, 8>();
  both<mma_m16n8k16_f64, double, 8>(16);
  both<ldmatrix_x1>();
  both<ldmatrix_x2>();
  both<ldmatrix_x4>();
  both<stmatrix_x1_load_x1>();
  both<stmatrix_x2_load_x2>();
  both<stmatrix_x4_load_x4>();
  both<stmatrix_x2_load_x1>();
  both<stmatrix_x4_load_x1>();
  return 0;
}
