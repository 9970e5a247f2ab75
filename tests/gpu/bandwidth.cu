// Bandwidths of each level, for comparison with what gpx's `bandwidth` experiments find. Nothing of
// gpx is used here: 16-byte loads of all threads over a working set, again and again.
//
// Usage: bandwidth    Output: level, what, working set (KB), bytes a clock an SM, GB/s in all
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "check.h"

namespace {

__device__ unsigned long long read_clock() {
  unsigned long long c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
  return c;
}

template <bool Cg>
__device__ uint4 load(const uint4* p) {
  uint4 v;
  if (Cg) {
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
  } else {
    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
  }
  return v;
}

// Each block reads `each` bytes from its own place (own: L1) or all blocks read all (L2, DRAM).
template <bool Cg>
__global__ void __launch_bounds__(1024) read(const uint4* data, std::uint64_t words, int rounds,
                                             bool own, unsigned long long* clocks, unsigned* sink) {
  const uint4* from = own ? data + blockIdx.x * words : data;
  const std::uint64_t step = own ? blockDim.x : std::uint64_t{blockDim.x} * gridDim.x;
  const std::uint64_t first = own ? threadIdx.x : blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  unsigned sum = 0;
  unsigned long long begin = 0;
  for (int round = 0; round <= rounds; ++round) {
    if (round == 1) {
      __syncthreads();
      begin = read_clock();
    }
#pragma unroll 8
    for (std::uint64_t i = first; i < words; i += step) {
      const uint4 v = load<Cg>(from + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (sum == 0x12345) *sink = sum;
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = read_clock() - begin + (sum == 77 ? 1 : 0);
}

__global__ void __launch_bounds__(1024) write(uint4* data, std::uint64_t words, int rounds) {
  const std::uint64_t step = std::uint64_t{blockDim.x} * gridDim.x;
  for (int round = 0; round < rounds; ++round)
    for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < words; i += step)
      data[i] = make_uint4(round, i, 1, 2);
}

__global__ void __launch_bounds__(1024) copy(const uint4* from, uint4* to, std::uint64_t words) {
  const std::uint64_t step = std::uint64_t{blockDim.x} * gridDim.x;
#pragma unroll 4
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < words; i += step)
    to[i] = from[i];
}

__global__ void __launch_bounds__(1024) shared(int rounds, unsigned long long* clocks, unsigned* sink) {
  __shared__ uint4 words[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = make_uint4(i, i, i, i);
  __syncthreads();
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  unsigned sum = 0;
  const unsigned long long begin = read_clock();
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(base + (k & 1) * 16384u) : "memory");
      sum += v.x ^ v.w;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) clocks[blockIdx.x] = read_clock() - begin + (sum == 77 ? 1 : 0);
  if (sum == 0x12345) *sink = sum;
}

double median(const std::vector<unsigned long long>& all) {
  std::vector<unsigned long long> v(all);
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return static_cast<double>(v[v.size() / 2]);
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const int sms = properties.multiProcessorCount;
  uint4 *data = nullptr, *other = nullptr;
  const std::uint64_t most = 8ull << 30;
  CHECK(cudaMalloc(&data, most));
  CHECK(cudaMalloc(&other, most));
  CHECK(cudaMemset(data, 1, most));
  unsigned long long* clocks = nullptr;
  unsigned* sink = nullptr;
  CHECK(cudaMalloc(&clocks, sms * 16));
  CHECK(cudaMalloc(&sink, 4));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  std::vector<unsigned long long> all(sms);
  const auto clocks_of = [&] {
    CHECK(cudaMemcpy(all.data(), clocks, sms * 8, cudaMemcpyDeviceToHost));
    return median(all);
  };
  const auto seconds_of = [&](auto&& launch) {
    float best = 1e9f;
    for (int i = 0; i < 4; ++i) {
      CHECK(cudaEventRecord(a));
      launch();
      CHECK(cudaEventRecord(b));
      CHECK(cudaEventSynchronize(b));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, a, b));
      best = std::min(best, ms);
    }
    return best / 1e3;
  };
  shared<<<sms, 1024>>>(64, clocks, sink);
  std::printf("shared,load,32,%.2f,\n", 64.0 * 16 * 1024 * 16 / clocks_of());
  CHECK(cudaFuncSetAttribute(read<false>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  for (const int kb : {16, 32, 64, 128, 192}) {
    const std::uint64_t words = kb * 1024 / 16;
    const int rounds = 4096 / kb;
    read<false><<<sms, 1024>>>(data, words, rounds, true, clocks, sink);
    std::printf("l1,load,%d,%.2f,\n", kb, rounds * kb * 1024.0 / clocks_of());
  }
  for (const std::uint64_t mb : {1, 2, 4, 8, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 512, 4096}) {
    const std::uint64_t words = (mb << 20) / 16;
    const int rounds = static_cast<int>(std::max<std::uint64_t>(2, 4096 / mb));
    const auto launch = [&] { read<true><<<sms * 2, 1024>>>(data, words, rounds, false, clocks, sink); };
    const double s = seconds_of(launch);
    std::printf("l2 or dram,load,%llu,%.2f,%.0f\n", static_cast<unsigned long long>(mb << 10),
                0.0, (rounds + 1) * static_cast<double>(mb << 20) / s / 1e9);
  }
  const double w = seconds_of([&] { write<<<sms * 2, 1024>>>(data, most / 16, 1); });
  std::printf("dram,store,%llu,,%.0f\n", static_cast<unsigned long long>(most >> 10), most / w / 1e9);
  const double c = seconds_of([&] { copy<<<sms * 2, 1024>>>(data, other, most / 16); });
  std::printf("dram,copy,%llu,,%.0f\n", static_cast<unsigned long long>(most >> 10), 2 * most / c / 1e9);
  // One SM alone.
  for (const std::uint64_t mb : {1, 8, 512}) {
    const std::uint64_t words = (mb << 20) / 16;
    const int rounds = static_cast<int>(std::max<std::uint64_t>(1, 64 / mb));
    read<true><<<1, 1024>>>(data, words, rounds, false, clocks, sink);
    unsigned long long one = 0;
    CHECK(cudaMemcpy(&one, clocks, 8, cudaMemcpyDeviceToHost));
    std::printf("one SM,load,%llu,%.2f,\n", static_cast<unsigned long long>(mb << 10),
                rounds * static_cast<double>(mb << 20) / one);
  }
  return 0;
}
