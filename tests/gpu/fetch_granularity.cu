// What memory brings into L2 at once, independent of gpx: for comparison with `l2.sector`.
// One thread loads pairs of words, round L1, that no cache has. The second word takes as long as L2
// where the first has brought it in.
//
// Usage: fetch_granularity          Output: limit, distance, median clocks, share of pairs that L2
// answered
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr int kPairs = 512;
constexpr std::uint64_t kPlace = 4096;       // bytes that one pair is taken from
constexpr std::uint64_t kFlush = 256 << 20;  // more than any L2
constexpr int kBetween = 430;                // clocks: between an L2 hit and memory on an H100

__device__ std::uint64_t load(const char* address) {
  std::uint64_t value;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

// A read of the clock that is not issued before `value` is there, which is never 12345.
__device__ long long clock_behind(std::uint64_t value) {
  long long c = 0;
  asm volatile("{.reg .pred q; setp.ne.u64 q, %1, 12345; @q mov.u64 %0, %%clock64;}"
               : "+l"(c)
               : "l"(value)
               : "memory");
  return c;
}

// All words are 0, which the compiler does not know: each load waits for the one before.
__global__ void pairs(const char* memory, int first, int second, int* clocks) {
  std::uint64_t zero = 0;
  for (int i = 0; i < kPairs; ++i) {
    const char* place = memory + static_cast<std::uint64_t>(i * 311 % kPairs) * kPlace + zero;
    zero = load(place + first);
    const long long start = clock_behind(zero);
    zero = load(place + second + zero);
    clocks[i] = static_cast<int>(clock_behind(zero) - start);
  }
}

__global__ void flush(const std::uint64_t* words, std::uint64_t count, std::uint64_t* sum) {
  std::uint64_t all = 0;
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    all += words[i];
  if (all == 1) *sum = all;
}

void measure(const char* memory, const std::uint64_t* other, int distance, const char* limit) {
  static int* clocks = nullptr;
  if (!clocks) CHECK(cudaMalloc(&clocks, kPairs * sizeof(int)));
  for (const bool up : {true, false}) {
    flush<<<512, 256>>>(other, kFlush / 8, const_cast<std::uint64_t*>(other));
    pairs<<<1, 1>>>(memory, up ? 0 : distance, up ? distance : 0, clocks);
    std::vector<int> all(kPairs);
    CHECK(cudaMemcpy(all.data(), clocks, kPairs * sizeof(int), cudaMemcpyDeviceToHost));
    std::sort(all.begin(), all.end());
    const auto hits = std::lower_bound(all.begin(), all.end(), kBetween) - all.begin();
    std::printf("limit %s  %s%d B  median %d  in L2 %.3f\n", limit, up ? "+" : "-", distance,
                all[kPairs / 2], static_cast<double>(hits) / kPairs);
  }
}

}  // namespace

int main() {
  char *memory = nullptr, *other = nullptr;
  CHECK(cudaMalloc(&memory, kPairs * kPlace));
  CHECK(cudaMalloc(&other, kFlush));
  CHECK(cudaMemset(memory, 0, kPairs * kPlace));
  CHECK(cudaMemset(other, 0, kFlush));
  std::size_t own = 0;
  CHECK(cudaDeviceGetLimit(&own, cudaLimitMaxL2FetchGranularity));
  std::printf("cudaLimitMaxL2FetchGranularity as it is: %zu B\n", own);
  for (const std::size_t limit : {own, std::size_t{32}, std::size_t{64}, std::size_t{128}}) {
    CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, limit));
    char name[24];
    std::snprintf(name, sizeof name, "%zu B", limit);
    const auto* words = reinterpret_cast<const std::uint64_t*>(other);
    for (const int distance : {8, 16, 32, 64, 128, 256}) measure(memory, words, distance, name);
  }
}
