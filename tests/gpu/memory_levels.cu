// Independent pointer chases through the memory hierarchy, for comparison with what the analyses
// `reach`, `shared_banks` and `global_latency` find. Nothing of gpx is used here: links are 64-bit
// addresses, so that no arithmetic stands between two loads.
//
// Usage: memory_levels          Output: what, size, clocks a load (of one thread, lists at rest)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr int kLine = 128;
constexpr int kShared = 128;  // loads of a chain in shared memory

__device__ unsigned long long read_clock() {
  unsigned long long c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
  return c;
}

// A read that is not issued before `value` is there: no address is odd.
template <typename T>
__device__ unsigned long long clock_behind(T value) {
  unsigned long long c = 0;
  const unsigned long long wide = value;
  asm volatile("{.reg .pred q; setp.ne.u64 q, %1, 12345; @q mov.u64 %0, %%clock64;}"
               : "+l"(c)
               : "l"(wide)
               : "memory");
  return c;
}

__global__ void shared_by_address(double* clocks) {
  __shared__ std::uint32_t words[256];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
  for (int i = 0; i < 256; ++i) words[i] = base + (i + 1) % 256 * 4;
  std::uint32_t p = base;
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned long long start = read_clock();
#pragma unroll
    for (int i = 0; i < kShared; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    *clocks = static_cast<double>(clock_behind(p) - start) / kShared;
  }
}

__global__ void shared_by_index(double* clocks) {
  __shared__ std::uint32_t words[256];
  for (int i = 0; i < 256; ++i) words[i] = (i + 1) % 256;
  std::uint32_t p = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned long long start = read_clock();
#pragma unroll
    for (int i = 0; i < kShared; ++i) p = static_cast<volatile std::uint32_t*>(words)[p];
    *clocks = static_cast<double>(clock_behind(p) - start) / kShared;
  }
}

template <bool Cg>
__device__ void follow(std::uint64_t& p) {
  if (Cg) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  } else {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
  }
}

// Two rounds through the list, of which the second counts; on one SM, or on any where `sm` is -1.
template <bool Cg>
__global__ void chase(std::uint64_t start_at, int loads, int sm, unsigned* taken, double* clocks) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (sm >= 0 && (static_cast<int>(here) != sm || atomicAdd(taken, 1u) > 0)) return;
  std::uint64_t p = start_at;
  for (int round = 0; round < 2; ++round) {
    const unsigned long long start = read_clock();
    for (int i = 0; i < loads; i += 16) {
#pragma unroll
      for (int k = 0; k < 16; ++k) follow<Cg>(p);
    }
    *clocks = static_cast<double>(clock_behind(p) - start) / loads;
  }
}

// Each access by itself, of lines that were not visited before.
__global__ void cold(std::uint64_t start_at, int loads, std::uint32_t* latencies) {
  std::uint64_t p = start_at;
  for (int i = 0; i < loads; ++i) {
    const unsigned long long start = read_clock();
    follow<true>(p);
    latencies[i] = static_cast<std::uint32_t>(clock_behind(p) - start);
  }
}

struct Bench {
  char* data = nullptr;
  char* junk = nullptr;
  double* clocks = nullptr;
  unsigned* taken = nullptr;
  std::uint32_t* latencies = nullptr;
  static constexpr std::size_t kMost = 256u << 20;

  // A random cycle over addresses `stride` bytes apart; its first address.
  std::uint64_t lay_out(std::size_t bytes, std::size_t stride) {
    std::vector<std::uint32_t> order(bytes / stride);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::uint64_t state = 1;
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(order[i], order[(state >> 33) % (i + 1)]);
    }
    std::vector<char> image(bytes);
    const auto base = reinterpret_cast<std::uint64_t>(data);
    for (std::size_t i = 0; i < order.size(); ++i)
      *reinterpret_cast<std::uint64_t*>(&image[order[i] * stride]) =
          base + order[(i + 1) % order.size()] * stride;
    CHECK(cudaMemcpy(data, image.data(), bytes, cudaMemcpyHostToDevice));
    return base + order[0] * stride;
  }

  template <bool Cg>
  double at_rest(std::size_t bytes, int sm) {
    const std::uint64_t first = lay_out(bytes, kLine);
    const int loads = static_cast<int>(std::max<std::size_t>(bytes / kLine, 4096) / 16 * 16);
    *taken = 0;
    const int blocks = sm < 0 ? 1 : 1056;
    chase<Cg><<<blocks, 1>>>(first, loads, sm, taken, clocks);
    CHECK(cudaDeviceSynchronize());
    return *clocks;
  }

  void cold_lines() {
    const std::size_t bytes = 1u << 20, stride = 512;
    const std::uint64_t first = lay_out(bytes, stride);
    CHECK(cudaMemset(junk, 1, kMost));
    const int loads = static_cast<int>(bytes / stride);
    cold<<<1, 1>>>(first, loads, latencies);
    CHECK(cudaDeviceSynchronize());
    std::sort(latencies, latencies + loads);
    double sum = 0;
    for (int i = 0; i < loads; ++i) sum += latencies[i];
    std::printf("cold,1 MB,%.1f  (5 %% %u, median %u, 95 %% %u)\n", sum / loads,
                latencies[loads / 20], latencies[loads / 2], latencies[loads - loads / 20]);
  }
};

}  // namespace

int main() {
  Bench b;
  CHECK(cudaMalloc(&b.data, Bench::kMost));
  CHECK(cudaMalloc(&b.junk, Bench::kMost));
  CHECK(cudaMallocManaged(&b.clocks, sizeof(double)));
  CHECK(cudaMallocManaged(&b.taken, sizeof(unsigned)));
  CHECK(cudaMallocManaged(&b.latencies, 1 << 20));
  CHECK(cudaFuncSetAttribute(chase<false>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  shared_by_address<<<1, 1>>>(b.clocks);
  CHECK(cudaDeviceSynchronize());
  std::printf("shared by address,,%.2f\n", *b.clocks);
  shared_by_index<<<1, 1>>>(b.clocks);
  CHECK(cudaDeviceSynchronize());
  std::printf("shared by index,,%.2f\n", *b.clocks);
  for (const std::size_t kb : {4, 64, 128, 200, 208, 216, 224, 232, 240, 256, 288})
    std::printf("ca,%zu KB,%.2f\n", kb, b.at_rest<false>(kb << 10, -1));
  for (const std::size_t mb : {1, 4, 8, 16, 20, 22, 24, 26, 28, 32, 38, 44, 48, 52, 56, 64, 96})
    std::printf("cg,%zu MB,%.2f\n", mb, b.at_rest<true>(mb << 20, -1));
  for (int sm = 0; sm < 132; sm += 6)
    std::printf("cg of SM %d,4 MB,%.2f\n", sm, b.at_rest<true>(4u << 20, sm));
  b.cold_lines();
  return 0;
}
