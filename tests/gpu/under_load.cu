// Bandwidth of reads and copies by all SMs, by the number of accesses in flight, and the latency of
// single reads of one warp at the same time. Nothing of gpx is used here.
//
// Usage: under_load
// Output: what,deep,words,threads,blocks_of_sm,us_or_clocks. Reads and copies: microseconds of
// 256 MB, each thread `deep` accesses of `words` words at a time, the least of 4 launches. Chains:
// clocks of a read of a line at random, the mean of 4096, while the other SMs do that.
#include <algorithm>
#include <cstdio>

#include "check.h"

namespace {

constexpr unsigned kBytes = 256u << 20, kChain = 4096, kSms = 132;
constexpr unsigned kMostRounds = 400;  // of a load that nobody stops

template <int kWords>
struct Unit {
  unsigned word[kWords];
};

template <int kWords>
__device__ Unit<kWords> read(const unsigned* data, unsigned unit) {
  Unit<kWords> v;
  const unsigned* const at = data + static_cast<size_t>(unit) * kWords;
  if constexpr (kWords == 1)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v.word[0]) : "l"(at));
  else
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(at));
  return v;
}

template <int kWords>
__device__ void write(unsigned* to, unsigned unit, const Unit<kWords>& v) {
  if constexpr (kWords == 1)
    to[unit] = v.word[0];
  else
    reinterpret_cast<uint4*>(to)[unit] = uint4{v.word[0], v.word[1], v.word[2], v.word[3]};
}

/// One pass over the data by `all` threads, of which this is number `t`.
template <int kDeep, int kWords, bool kCopy>
__device__ unsigned pass(unsigned* to, const unsigned* data, unsigned t, unsigned all) {
  constexpr unsigned kUnits = kBytes / 4 / kWords;
  unsigned seen = 0;
  for (unsigned i = t; i < kUnits; i += all * kDeep) {
    Unit<kWords> v[kDeep];
#pragma unroll
    for (int k = 0; k < kDeep; ++k) v[k] = read<kWords>(data, min(i + k * all, kUnits - 1));
#pragma unroll
    for (int k = 0; k < kDeep; ++k)
      if (kCopy)
        write<kWords>(to, min(i + k * all, kUnits - 1), v[k]);
      else
        seen |= v[k].word[0];
  }
  return seen;
}

template <int kDeep, int kWords, bool kCopy>
__global__ void moves(unsigned* to, const unsigned* data) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (pass<kDeep, kWords, kCopy>(to, data, t, gridDim.x * blockDim.x) == 1) to[t] = 1;
}

__device__ volatile unsigned stop;

/// Block 0 reads one line after another, the others move data until it has ended.
template <int kDeep, int kWords, bool kCopy>
__global__ void chain(unsigned* to, const unsigned* data, const unsigned* far, unsigned* clocks) {
  if (blockIdx.x > 0) {
    const unsigned t = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
    const unsigned all = (gridDim.x - 1) * blockDim.x;
    for (unsigned round = 0; round < kMostRounds && stop == 0; ++round)
      if (pass<kDeep, kWords, kCopy>(to, data, t, all) == 1) to[t] = 1;
    return;
  }
  if (threadIdx.x > 0) return;
  for (int i = 0; i < 300; ++i) __nanosleep(100);  // the others have begun
  unsigned random = 12345, sum = 0;
  for (unsigned i = 0; i < kChain; ++i) {
    random = random * 1664525u + 1013904223u;
    unsigned begin, end, v;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(far + (random >> 7) * 32ull));
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 77; @p trap;}" ::"r"(v) : "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
    sum += end - begin;
  }
  *clocks = sum;
  stop = 1;
}

struct Buffers {
  unsigned *to, *data, *far, *clocks;  // `far`: 4 GB, of which L2 holds nothing
};

template <int kDeep, int kWords, bool kCopy>
void measure(const char* what, const Buffers& at) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (const int blocks : {1, 2, 4}) {
    float least = 1e9;
    for (int repetition = 0; repetition < 4; ++repetition) {
      float ms;
      CHECK(cudaEventRecord(begin));
      moves<kDeep, kWords, kCopy><<<kSms * blocks, 512>>>(at.to, at.data);
      CHECK(cudaEventRecord(end));
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaEventElapsedTime(&ms, begin, end));
      least = std::min(least, ms);
    }
    std::printf("%s,%d,%d,512,%d,%.3f\n", what, kDeep, kWords, blocks, 1e3 * least);
    unsigned clocks = 0;
    const unsigned none = 0;
    CHECK(cudaMemcpyToSymbol(stop, &none, sizeof none));
    chain<kDeep, kWords, kCopy>
        <<<(kSms - 1) * blocks + 1, 512>>>(at.to, at.data, at.far, at.clocks);
    CHECK(cudaMemcpy(&clocks, at.clocks, sizeof clocks, cudaMemcpyDeviceToHost));
    std::printf("chain of %s,%d,%d,512,%d,%.1f\n", what, kDeep, kWords, blocks,
                clocks / static_cast<double>(kChain));
  }
}

}  // namespace

int main() {
  Buffers at;
  CHECK(cudaMalloc(&at.to, kBytes));
  CHECK(cudaMalloc(&at.data, kBytes));
  CHECK(cudaMalloc(&at.far, 4ull << 30));
  CHECK(cudaMalloc(&at.clocks, 4));
  CHECK(cudaMemset(at.to, 0, kBytes));
  CHECK(cudaMemset(at.data, 0, kBytes));
  CHECK(cudaMemset(at.far, 0, 4ull << 30));
  std::printf("what,deep,words,threads,blocks_of_sm,us_or_clocks\n");
  measure<1, 1, false>("reads", at);
  measure<4, 1, false>("reads", at);
  measure<1, 4, false>("reads", at);
  measure<4, 4, false>("reads", at);
  measure<1, 1, true>("copies", at);
  measure<4, 1, true>("copies", at);
  measure<1, 4, true>("copies", at);
}
