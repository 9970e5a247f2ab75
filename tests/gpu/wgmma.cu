// Matrix products of a warpgroup, written by hand: nothing of gpx is used here.
//
// Latency: one warpgroup executes N dependent wgmma.mma_async of f16 (sums f32) between two reads
// of the clock, one group, one wait; the value is the slope between a shorter and a longer chain,
// the smallest of the repetitions. Completion: the same, but each is a group of its own and waited
// for. Throughput: all SMs, two warpgroups each, launches in a row, by the events' time and by the
// SMs' clocks, with zeros and with random numbers, of f16, bf16, tf32, e4m3 and s8. Sparse: products
// of f16 with N = 256 whose A has two of four elements. Values: one product of random numbers against
// the CPU, whose digest (FNV-1a over the bits of the sums, row by row) a virtual GPU's product of
// the same tiles must have. Tiles: K-major, 128-byte swizzle, rows of 128 bytes, of which the first
// 32 bytes are read. Build: nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -O3 wgmma.cu
// Output, CSV: finding,key,value
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

namespace {

using u32 = std::uint32_t;
using u64 = unsigned long long;

constexpr int kRows = 64, kDepth = 16, kRowBytes = 128, kRepetitions = 20;

__host__ __device__ u32 hash(u32 x) {
  x *= 0x9e3779b1u;
  x ^= x >> 15;
  x *= 0x85ebca77u;
  return x ^ x >> 13;
}

/// Two halves of 1/2 to 1 of either sign.
__host__ __device__ u32 random_halves(u32 word) {
  return (hash(word + 1) & 0x83ff83ffu) | 0x38003800u;
}

__device__ u64 descriptor(const void* tile) {
  const u64 address = static_cast<u64>(__cvta_generic_to_shared(tile)) & 0x3ffff;
  return address >> 4 | u64{1} << 16 | u64{1024 / 16} << 32 | u64{1} << 62;
}

__device__ u64 clock_now() {
  u64 now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ void fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// Numbers of a type: 1/2 to 1 (e4m3: to 2) of either sign, of s8 any.
enum Data { zeros, halves, bf16s, tf32s, e4m3s, s8s };
__host__ __device__ u32 word_of(Data data, u32 word) {
  if (data == bf16s) return (hash(word + 1) & 0x807f807fu) | 0x3f003f00u;
  if (data == tf32s) return (hash(word + 1) & 0x807fe000u) | 0x3f000000u;
  if (data == e4m3s) return (hash(word + 1) & 0x8f8f8f8fu) | 0x30303030u;
  if (data == s8s) return hash(word + 1);
  return data == zeros ? 0 : random_halves(word);
}

/// No compiler moves a use of the sums over this.
template <int R>
__device__ void hold(int (&d)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i) asm volatile("" : "+r"(d[i])::"memory");
}
template <int R>
__device__ void hold(float (&d)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

#define F(i) "+f"(d[i])
#define F4(i) F(i), F(i + 1), F(i + 2), F(i + 3)
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
#define F32(i) F16(i), F16(i + 16)
#define F64(i) F32(i), F32(i + 32)
#define F128(i) F64(i), F64(i + 64)

template <int N>
struct Product;
template <>
struct Product<8> {
  static constexpr int kN = 8;
  using Sum = float;
  __device__ static void ss(float (&d)[4], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {"
        "%0, %1, %2, %3"
        "}, %4, %5, 1, 1, 1, 0, 0;"
        : F4(0)
        : "l"(a), "l"(b));
  }
  __device__ static void rs(float (&d)[4], const u32 (&a)[4], u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {"
        "%0, %1, %2, %3"
        "}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
        : F4(0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
};
template <>
struct Product<16> {
  static constexpr int kN = 16;
  using Sum = float;
  __device__ static void ss(float (&d)[8], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7"
        "}, %8, %9, 1, 1, 1, 0, 0;"
        : F4(0), F4(4)
        : "l"(a), "l"(b));
  }
  __device__ static void rs(float (&d)[8], const u32 (&a)[4], u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7"
        "}, {%8, %9, %10, %11}, %12, 1, 1, 1, 0;"
        : F4(0), F4(4)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
};
template <>
struct Product<32> {
  static constexpr int kN = 32;
  using Sum = float;
  __device__ static void ss(float (&d)[16], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
        "}, %16, %17, 1, 1, 1, 0, 0;"
        : F16(0)
        : "l"(a), "l"(b));
  }
  __device__ static void rs(float (&d)[16], const u32 (&a)[4], u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
        "}, {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
        : F16(0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
};
template <>
struct Product<64> {
  static constexpr int kN = 64;
  using Sum = float;
  __device__ static void ss(float (&d)[32], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, %32, %33, 1, 1, 1, 0, 0;"
        : F32(0)
        : "l"(a), "l"(b));
  }
  __device__ static void rs(float (&d)[32], const u32 (&a)[4], u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
        : F32(0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
};
template <>
struct Product<128> {
  static constexpr int kN = 128;
  using Sum = float;
  __device__ static void ss(float (&d)[64], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, 1, 1, 1, 0, 0;"
        : F64(0)
        : "l"(a), "l"(b));
  }
  __device__ static void rs(float (&d)[64], const u32 (&a)[4], u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 0;"
        : F64(0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
};
template <>
struct Product<256> {
  static constexpr int kN = 256;
  using Sum = float;
  __device__ static void ss(float (&d)[128], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
        "%111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
        "%127"
        "}, %128, %129, 1, 1, 1, 0, 0;"
        : F128(0)
        : "l"(a), "l"(b));
  }
  __device__ static void rs(float (&d)[128], const u32 (&a)[4], u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
        "%111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
        "%127"
        "}, {%128, %129, %130, %131}, %132, 1, 1, 1, 0;"
        : F128(0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
};

// The 128 sums of a thread where N = 256.
#define SUMS                                                                                       \
  "{"                                                                                              \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "                                             \
  "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "                                   \
  "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "                                   \
  "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                                   \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "                                   \
  "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "                                   \
  "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "                                   \
  "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                                   \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "                           \
  "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "                       \
  "%120, %121, %122, %123, %124, %125, %126, %127"                                                 \
  "}"
#define R(i) "+r"(d[i])
#define R4(i) R(i), R(i + 1), R(i + 2), R(i + 3)
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)
#define R64(i) R16(i), R16(i + 16), R16(i + 32), R16(i + 48)
#define R128(i) R64(i), R64(i + 64)

/// Of other types: N = 256, both operands in shared memory.
#define TYPED(NAME, SUM, CONSTRAINTS, TEXT, TAIL)                                                  \
  struct NAME {                                                                                    \
    static constexpr int kN = 256;                                                                 \
    using Sum = SUM;                                                                               \
    __device__ static void ss(SUM (&d)[128], u64 a, u64 b) {                                       \
      asm volatile("wgmma.mma_async.sync.aligned." TEXT " " SUMS ", %128, %129, " TAIL ";"         \
                   : CONSTRAINTS                                                                   \
                   : "l"(a), "l"(b));                                                              \
    }                                                                                              \
  }
TYPED(Bf16, float, F128(0), "m64n256k16.f32.bf16.bf16", "1, 1, 1, 0, 0");
TYPED(Tf32, float, F128(0), "m64n256k8.f32.tf32.tf32", "1, 1, 1");
TYPED(E4m3, float, F128(0), "m64n256k32.f32.e4m3.e4m3", "1, 1, 1");
TYPED(S8, int, R128(0), "m64n256k32.s32.s8.s8", "1");

/// Of 32 elements of a row of A the first two of each four.
struct Sparse {
  static constexpr int kN = 256;
  using Sum = float;
  __device__ static void ss(float (&d)[128], u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16 " SUMS
                 ", %128, %129, %130, 0, 1, 1, 1, 0, 0;"
                 : F128(0)
                 : "l"(a), "l"(b), "r"(0x44444444));
  }
  __device__ static void rs(float (&d)[128], const u32 (&a)[4], u64 b) {
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16 " SUMS
                 ", {%128, %129, %130, %131}, %132, %133, 0, 1, 1, 1, 0;"
                 : F128(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(0x44444444));
  }
};

template <int N>
struct Tiles {
  alignas(1024) unsigned char a[kRows * kRowBytes];
  unsigned char b[N * kRowBytes];
};

template <int N>
__device__ void fill(Tiles<N>& tiles, Data data) {
  u32* const words = reinterpret_cast<u32*>(tiles.a);
  for (u32 i = threadIdx.x; i < (kRows + N) * kRowBytes / 4; i += blockDim.x)
    words[i] = word_of(data, i);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

/// `registers`: A in registers. `waits`: each product ends before the next one.
template <typename P, int Count, bool registers, bool waits>
__global__ void __launch_bounds__(256) chain(u64* clocks, float* sums, Data data) {
  constexpr int kSums = P::kN / 2;
  __shared__ Tiles<P::kN> tiles;
  fill(tiles, data);
  const u64 a = descriptor(tiles.a), b = descriptor(tiles.b);
  u32 own[4];
  for (int i = 0; i < 4; ++i) own[i] = word_of(data, threadIdx.x * 4 + i);
  typename P::Sum d[kSums];
  for (int i = 0; i < kSums; ++i)
    d[i] = data == zeros ? 0 : static_cast<typename P::Sum>(sums[i]);
  u64 start = 0, end = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    hold(d);
    start = clock_now();
    fence();
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      if constexpr (registers) {
        P::rs(d, own, b);
      } else {
        P::ss(d, a, b);
      }
      if (waits) commit(), wait();
    }
    if (!waits) commit(), wait();
    end = clock_now();
    hold(d);
  }
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - start;
  for (int i = 0; i < kSums; ++i)
    if (d[i] == static_cast<typename P::Sum>(12345.678f)) sums[1024 + i] = static_cast<float>(d[i]);
}

/// One product of the tiles from sums of zero: d[row * 8 + column] of N = 8.
__global__ void one_product(float* out) {
  __shared__ Tiles<8> tiles;
  fill(tiles, halves);
  float d[4] = {};
  hold(d);
  fence();
  Product<8>::ss(d, descriptor(tiles.a), descriptor(tiles.b));
  commit(), wait();
  hold(d);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i)
    out[(16 * warp + lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2] = d[i];
}

template <typename P, int Count, bool registers, bool waits>
u64 least_clocks(u64* clocks, float* sums) {
  u64 least = ~0ull;
  for (int r = 0; r < kRepetitions; ++r) {
    chain<P, Count, registers, waits><<<1, 128>>>(clocks, sums, halves);
    CHECK(cudaDeviceSynchronize());
    u64 now = 0;
    CHECK(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
    least = std::min(least, now);
  }
  return least;
}

template <typename P, bool registers, bool waits>
void latency(u64* clocks, float* sums, const char* kind) {
  constexpr int kShort = 8, kLong = 40;
  const u64 brief = least_clocks<P, kShort, registers, waits>(clocks, sums);
  const u64 lengthy = least_clocks<P, kLong, registers, waits>(clocks, sums);
  std::printf("wgmma.%s,n=%d operands=%s%s,%.2f\n", waits ? "completion" : "latency", P::kN,
              registers ? "rs" : "ss", kind,
              static_cast<double>(lengthy - brief) / static_cast<double>(kLong - kShort));
}

template <typename P>
void latencies(u64* clocks, float* sums, const char* kind = "") {
  latency<P, false, false>(clocks, sums, kind);
  latency<P, true, false>(clocks, sums, kind);
  latency<P, false, true>(clocks, sums, kind);
  latency<P, true, true>(clocks, sums, kind);
}

struct Row {
  double milliseconds;  // A launch, on average: the clock changes within a row.
  double clocks;        // Of a block, the median over the blocks of the last launch.
};

/// Launches in a row without a pause, the first ones until the clock is steady.
template <typename P, int Count>
Row row(u64* clocks, float* sums, Data data, int blocks) {
  constexpr int kWarm = 40, kTimed = 60;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int r = 0; r < kWarm + kTimed; ++r) {
    if (r == kWarm) CHECK(cudaEventRecord(begin));
    chain<P, Count, false, false><<<blocks, 256>>>(clocks, sums, data);
  }
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float time = 0;
  CHECK(cudaEventElapsedTime(&time, begin, end));
  std::vector<u64> taken(static_cast<std::size_t>(blocks));
  CHECK(cudaMemcpy(taken.data(), clocks, taken.size() * sizeof(u64), cudaMemcpyDeviceToHost));
  std::nth_element(taken.begin(), taken.begin() + blocks / 2, taken.end());
  return {time / kTimed, static_cast<double>(taken[static_cast<std::size_t>(blocks / 2)])};
}

template <typename P>
void throughput(u64* clocks, float* sums, const char* type, int bits, Data data) {
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = 16 * sms;
  const char* const name = data == zeros ? "zeros" : "random";
  CHECK(cudaMemset(sums, 0, 1 << 16));
  const Row few = row<P, 64>(clocks, sums, data, blocks),
            many = row<P, 256>(clocks, sums, data, blocks);
  // 192 more products of two warpgroups, in each of the kernel's two passes; a block reads the
  // clock around the last one. A row of a tile has 32 bytes.
  const double of_block = 2.0 * kRows * 256 * (256.0 / bits) * 2 * (256 - 64);
  const double rate = of_block / (many.clocks - few.clocks);
  const double tera =
      of_block * 2 * blocks / ((many.milliseconds - few.milliseconds) * 1e-3) / 1e12;
  std::printf("wgmma.rate,type=%s data=%s of an SM in a clock,%.1f\n", type, name, rate);
  std::printf("wgmma.throughput,type=%s data=%s TFLOPS,%.1f\n", type, name, tera);
  std::printf("wgmma.clock,type=%s data=%s MHz,%.0f\n", type, name, tera * 1e6 / rate / sms);
}

template <typename P>
void throughputs(u64* clocks, float* sums, const char* type, int bits, Data random) {
  throughput<P>(clocks, sums, type, bits, zeros);
  throughput<P>(clocks, sums, type, bits, random);
}

double tile_value(u32 row, u32 k, u32 first_word) {
  const u32 plain = row * kRowBytes + 2 * k;
  const u32 at = plain ^ (plain >> 7 & 7) << 4;
  const u32 word = random_halves(first_word + at / 4);
  const auto bits = static_cast<std::uint16_t>(at % 4 ? word >> 16 : word);
  const double magnitude = std::ldexp(1.0 + (bits & 0x3ff) / 1024.0, (bits >> 10 & 31) - 15);
  return bits >> 15 ? -magnitude : magnitude;
}

bool values(float* device) {
  std::vector<float> found(kRows * 8);
  one_product<<<1, 128>>>(device);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(found.data(), device, found.size() * 4, cudaMemcpyDeviceToHost));
  u64 digest = 0xcbf29ce484222325ull;
  double worst = 0;
  for (u32 row = 0; row < kRows; ++row)
    for (u32 column = 0; column < 8; ++column) {
      double exact = 0;
      for (u32 k = 0; k < kDepth; ++k)
        exact += tile_value(row, k, 0) * tile_value(column, k, kRows * kRowBytes / 4);
      const float value = found[row * 8 + column];
      worst = std::max(worst, std::fabs(exact - static_cast<double>(value)));
      u32 bits;
      std::memcpy(&bits, &value, 4);
      for (int i = 0; i < 4; ++i) digest = (digest ^ (bits >> 8 * i & 255)) * 0x100000001b3ull;
    }
  std::printf("values,worst difference from the exact sum,%.3g\n", worst);
  std::printf("values,digest,%016llx\n", digest);
  return worst < 1e-5;
}

}  // namespace

int main() {
  u64* clocks = nullptr;
  float* sums = nullptr;
  CHECK(cudaMalloc(&clocks, 1 << 16));
  CHECK(cudaMalloc(&sums, 1 << 16));
  CHECK(cudaMemset(sums, 0, 1 << 16));
  std::printf("finding,key,value\n");
  const bool good = values(sums);
  CHECK(cudaMemset(sums, 0, 1 << 16));
  latencies<Product<8>>(clocks, sums);
  latencies<Product<16>>(clocks, sums);
  latencies<Product<32>>(clocks, sums);
  latencies<Product<64>>(clocks, sums);
  latencies<Product<128>>(clocks, sums);
  latencies<Product<256>>(clocks, sums);
  latencies<Sparse>(clocks, sums, " sparse");
  throughputs<Product<256>>(clocks, sums, "f16", 16, halves);
  throughputs<Bf16>(clocks, sums, "bf16", 16, bf16s);
  throughputs<Tf32>(clocks, sums, "tf32", 32, tf32s);
  throughputs<E4m3>(clocks, sums, "e4m3", 8, e4m3s);
  throughputs<S8>(clocks, sums, "s8", 8, s8s);
  if (!good) std::fprintf(stderr, "wgmma: the product is not the CPU's\n");
  return good ? 0 : 1;
}
