// What a wide product of integers costs among other operations on registers: a loop of 16 products
// and K others each, by warps of one block; and chains in which one waits for the other. Nothing of
// gpx is used here.
//
// Build: nvcc -std=c++17 -arch=sm_90a -O3 wide_products.cu
// Output, CSV: name (product, others, K), warps, clocks of one more product and its K others of all
// warps: a slope over trip counts, median of five launches of the mean over warps
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

using u32 = unsigned;

struct Args {
  u32 one, n;
  float f;
};

struct State {
  float f[12], x;
  u32 i[12], y;
  __device__ State(const Args& a, u32 t) : x(a.f), y(a.one + t) {
    for (int c = 0; c < 12; ++c) f[c] = a.f * (c + 1) + t, i[c] = a.one * (c + 77) + t;
  }
  __device__ u32 value() {
    float sum = 0;
    u32 all = 0;
    for (int c = 0; c < 12; ++c) sum += f[c], all ^= i[c];
    return static_cast<u32>(sum) ^ all;
  }
};

struct Lop {
  __device__ static void step(State& s, int c) {
    asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(s.i[4 + c % 8]) : "r"(s.y));
  }
};
struct Imad {
  __device__ static void step(State& s, int c) {
    asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(s.i[4 + c % 8]) : "r"(s.y));
  }
};
struct Fma {
  __device__ static void step(State& s, int c) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(s.f[4 + c % 8]) : "f"(s.x));
  }
};

/// Four chains of products, eight of the others.
template <class Other, int K>
struct Mix {
  __device__ static void body(State& s) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(s.i[k % 4]) : "r"(s.y));
#pragma unroll
      for (int c = 0; c < K; ++c) Other::step(s, k * K + c);
    }
  }
};

/// The operation reads the product, and the next product the operation.
#define CHAIN(NAME, TEXT)                                          \
  struct NAME {                                                    \
    __device__ static void body(State& s) {                        \
      _Pragma("unroll") for (int k = 0; k < 16; ++k) asm volatile( \
          TEXT : "+r"(s.i[0]), "+f"(s.f[0]) : "r"(s.y), "f"(s.x)); \
    }                                                              \
  };
CHAIN(ChainLop, "mul.hi.u32 %0, %0, %2; xor.b32 %0, %0, %2;")
CHAIN(ChainImad, "mul.hi.u32 %0, %0, %2; mad.lo.u32 %0, %0, %2, %2;")
CHAIN(ChainFma,
      "{.reg .b32 t; mov.b32 t, %1; mul.hi.u32 t, t, %2; mov.b32 %1, t; "
      "fma.rn.f32 %1, %1, %3, %3;}")

template <class Op>
__global__ void __launch_bounds__(1024) run(unsigned long long* clocks, u32* sink, Args a) {
  State s(a, threadIdx.x);
  __syncthreads();
  const auto begin = clock_now();
#pragma unroll 1
  for (u32 k = 0; k < a.n; ++k) Op::body(s);
  const u32 value = s.value();
  wait_for(value);
  const auto end = clock_now();
  if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32] = end - begin;
  sink[threadIdx.x] = value;
}

template <class Op>
void print(const char* name, const std::vector<int>& all) {
  static auto* clocks = device<unsigned long long>(32);
  static u32* sink = device<u32>(1024);
  for (const int warps : all) {
    std::vector<double> slopes;
    for (int launch = 0; launch < 6; ++launch) {
      double mean_of[2];
      for (int k = 0; k < 2; ++k) {
        run<Op><<<1, 32 * warps>>>(clocks, sink, Args{1, k == 0 ? 32u : 96u, 1.5f});
        CHECK(cudaDeviceSynchronize());
        mean_of[k] = mean(host_copy(clocks, warps));
      }
      if (launch > 0) slopes.push_back((mean_of[1] - mean_of[0]) / 64 / 16);
    }
    std::printf("%s,%d,%.3f\n", name, warps, median(slopes));
  }
}

template <class Other, int... K>
void mixes(const char* name) {
  const auto one = [&](auto op, int k) {
    char text[32];
    std::snprintf(text, sizeof text, "%s_%d", name, k);
    print<decltype(op)>(text, {4, 16, 32});
  };
  (one(Mix<Other, K>{}, K), ...);
}

}  // namespace

int main() {
  std::printf("name,warps,clocks\n");
  mixes<Lop, 0, 2, 4, 6, 7, 8, 10, 14>("hi_lop");
  mixes<Imad, 0, 2, 4, 6, 7, 8, 10, 14>("hi_imad");
  mixes<Fma, 0, 2, 4, 6, 7, 8, 10, 14>("hi_fma");
  print<ChainLop>("chain_lop", {1, 4, 16, 32});
  print<ChainImad>("chain_imad", {1, 4, 16, 32});
  print<ChainFma>("chain_fma", {1, 4, 16, 32});
}
