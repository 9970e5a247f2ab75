// Whether loads of shared memory and of global memory, also those that L1 has, share a pipe of
// their SM: each alone, then both in one loop. Nothing of gpx is used here.
//
// Usage: shared_pipe    Output: shared loads, their words a lane, rows of a warp, global loads,
// their lines of a warp, where (L1, L2), warps of the SM, clocks of a pass of the loop (median of
// 7)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 7, kPasses = 64;

struct Span {
  unsigned long long first, last;
};

// kShared loads of kWords words each, of `rows` places 32 B apart a warp; kGlobal loads of a word
// each of `lines` lines, by ld.cg where kL2.
template <int kShared, int kWords, int kGlobal, bool kL2>
__global__ void both(int rows, int lines, const char* data, Span* span, unsigned* sink) {
  __shared__ alignas(16) unsigned words[1024];
  __shared__ unsigned long long first, last;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) words[k] = 0;
  if (threadIdx.x == 0) first = ~0ull, last = 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(words)) +
                        32 * (lane % rows) + 4 * kWords * (kWords == 1 ? lane / rows % 8 : 0);
  const char* at = data + 2048 * warp + 128 * (lane % lines) + 4 * (lane / lines);
  unsigned sum = 0;
  std::uint64_t start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock_now();
    // Each pass has other addresses: an assembler leaves out a load that it knows.
#pragma unroll 1
    for (int k = 0; k < kPasses; ++k) {
#pragma unroll
      for (int i = 0; i < kGlobal; ++i) {
        unsigned v;
        if (kL2)
          asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at + 1024 * i + 512 * (k & 1)));
        else
          asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at + 1024 * i + 512 * (k & 1)));
        sum += v;
      }
#pragma unroll
      for (int i = 0; i < kShared; ++i) {
        unsigned v[4] = {};
        if (kWords == 1)
          asm volatile("ld.shared.u32 %0, [%1];"
                       : "=r"(v[0])
                       : "r"(base + 256 * (i % 8) + 2048 * (k & 1)));
        else
          asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                       : "r"(base + 256 * (i % 8) + 2048 * (k & 1)));
        sum += v[0] + v[1] + v[2] + v[3];
      }
    }
    wait_for(sum);
  }
  const std::uint64_t end = clock_now();
  atomicMin(&first, static_cast<unsigned long long>(start));
  atomicMax(&last, static_cast<unsigned long long>(end));
  __syncthreads();
  if (threadIdx.x == 0) *span = {first, last};
  sink[threadIdx.x] = sum;
}

template <int kShared, int kWords, int kGlobal, bool kL2>
void print(int rows, int lines, const char* data, Span* span, unsigned* sink) {
  for (const int warps : {4, 16, 32}) {
    std::vector<double> all;
    for (int run = 0; run < kRuns; ++run) {
      both<kShared, kWords, kGlobal, kL2><<<1, 32 * warps>>>(rows, lines, data, span, sink);
      CHECK(cudaDeviceSynchronize());
      Span seen{};
      CHECK(cudaMemcpy(&seen, span, sizeof seen, cudaMemcpyDeviceToHost));
      all.push_back(static_cast<double>(seen.last - seen.first));
    }
    std::nth_element(all.begin(), all.begin() + kRuns / 2, all.end());
    std::printf("%d,%d,%d,%d,%d,%s,%d,%.2f\n", kShared, kWords, rows, kGlobal, lines,
                kL2 ? "L2" : "L1", warps, all[kRuns / 2] / kPasses);
  }
}

template <int kShared, int kWords>
void print_with_global(int rows, const char* data, Span* span, unsigned* sink) {
  print<kShared, kWords, 0, false>(rows, 1, data, span, sink);
  for (const int lines : {1, 4}) {
    print<kShared, kWords, 2, false>(rows, lines, data, span, sink);
    print<kShared, kWords, 2, true>(rows, lines, data, span, sink);
  }
}

}  // namespace

int main() {
  char* data = device<char>(1 << 20);
  Span* span = device<Span>(1);
  unsigned* sink = device<unsigned>(1024);
  std::printf("shared,words,rows,global,lines,where,warps,clocks\n");
  for (const int lines : {1, 4}) {
    print<0, 1, 2, false>(1, lines, data, span, sink);
    print<0, 1, 2, true>(1, lines, data, span, sink);
  }
  for (const int rows : {1, 4}) {
    print_with_global<8, 1>(rows, data, span, sink);
    print_with_global<4, 4>(rows, data, span, sink);
  }
}
