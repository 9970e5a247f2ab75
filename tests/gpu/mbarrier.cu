// Operations on an mbarrier in shared memory, by hand: what experiments/hopper_mbarrier.gpx is held
// against. No code of gpx.
//
// test_wait: of a phase that is complete, told by its state, each guarded by the predicate of the
// one before it (guard); or told by its parity, which a selection behind the test before it gives
// (select). pair: an arrival that completes the phase, a test of its state, and the next arrival
// guarded by the test. arrive: one behind the other, none waits. Clocks of 256 minus those of 128,
// over 128. Output: what,clocks. Needs compute capability 9.0 (try_wait). Usage: mbarrier
#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.h"

enum What { test_guard, try_guard, test_select, try_select, pair, pair_try, arrive };

__device__ __forceinline__ unsigned at(const void* own) {
  return static_cast<unsigned>(__cvta_generic_to_shared(own));
}

template <What what>
__global__ void measure(std::uint64_t* out, int count, unsigned zero) {
  __shared__ __align__(8) std::uint64_t memory[2];
  // Of pairs in a register of the thread's own, as where each thread has a barrier.
  const unsigned barrier = at(memory) + (what == pair || what == pair_try ? 8 * threadIdx.x : 0);
  constexpr unsigned kArrivals = what == arrive ? 1 << 19 : 1;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(kArrivals) : "memory");
  __syncthreads();
  unsigned parity = zero + 1, good = 1 - zero;  // The phase before the first counts as complete.
  std::uint64_t state = 0, over = 0;
  if (what == test_guard || what == try_guard)
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(over)
                 : "r"(barrier)
                 : "memory");
  for (int pass = 0; pass < 2; ++pass) {
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 128)
#pragma unroll
      for (int k = 0; k < 128; ++k) {
        if constexpr (what == test_guard)
          asm volatile(
              "{.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
              "@p mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
              : "+r"(good)
              : "r"(barrier), "l"(over)
              : "memory");
        if constexpr (what == try_guard)
          asm volatile(
              "{.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
              "@p mbarrier.try_wait.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
              : "+r"(good)
              : "r"(barrier), "l"(over)
              : "memory");
        if constexpr (what == test_select)
          asm volatile(
              "{.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %0;\n"
              "selp.u32 %0, %2, %3, p;}"
              : "+r"(parity)
              : "r"(barrier), "r"(zero + 1), "r"(zero)
              : "memory");
        if constexpr (what == try_select)
          asm volatile(
              "{.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %0;\n"
              "selp.u32 %0, %2, %3, p;}"
              : "+r"(parity)
              : "r"(barrier), "r"(zero + 1), "r"(zero)
              : "memory");
        if constexpr (what == pair)
          asm volatile(
              "{.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
              "@p mbarrier.arrive.shared::cta.b64 %1, [%2];\n"
              "mbarrier.test_wait.shared::cta.b64 p, [%2], %1;\nselp.u32 %0, 1, 0, p;}"
              : "+r"(good), "+l"(state)
              : "r"(barrier)
              : "memory");
        if constexpr (what == pair_try)
          asm volatile(
              "{.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
              "@p mbarrier.arrive.shared::cta.b64 %1, [%2];\n"
              "mbarrier.try_wait.shared::cta.b64 p, [%2], %1;\nselp.u32 %0, 1, 0, p;}"
              : "+r"(good), "+l"(state)
              : "r"(barrier)
              : "memory");
        if constexpr (what == arrive)
          asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                       : "=l"(state)
                       : "r"(barrier)
                       : "memory");
      }
    out[1] = state + parity + good;
    out[0] = clock64() - begin;
  }
  out[2] = good;
}

template <What what>
void print(const char* name, std::uint64_t* out) {
  const auto clocks = [&](int count) {
    std::vector<double> all;
    for (int i = 0; i < 21; ++i) {
      measure<what><<<1, 1>>>(out, count, 0u);
      std::uint64_t taken[3] = {};
      CHECK(cudaMemcpy(taken, out, sizeof taken, cudaMemcpyDeviceToHost));
      if (taken[2] != 1) std::printf("%s: a test failed\n", name);
      all.push_back(static_cast<double>(taken[0]));
    }
    std::nth_element(all.begin(), all.begin() + 10, all.end());
    return all[10];
  };
  constexpr int kFew = 128;
  std::printf("%s,%.2f\n", name, (clocks(2 * kFew) - clocks(kFew)) / kFew);
}

int main() {
  std::uint64_t* out = nullptr;
  CHECK(cudaMalloc(&out, 24));
  print<test_guard>("test_wait,guard", out);
  print<try_guard>("try_wait,guard", out);
  print<test_select>("test_wait,select", out);
  print<try_select>("try_wait,select", out);
  print<pair>("arrive+test_wait", out);
  print<pair_try>("arrive+try_wait", out);
  print<arrive>("arrive,issue", out);
  return 0;
}
