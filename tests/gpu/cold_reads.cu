// Loads of lines that no cache has, after the whole GPU has swept L2 with loads or with stores:
// when each warp of a block has its values, by how many loads wait at once, how far apart these
// are, and how many blocks load. Nothing of gpx is used here.
//
// Usage: cold_reads
// Output: swept,apart,loads,blocks,threads,launch_ns,first,last,mean (clocks of a block from its
// start to its warps' last value: least, most, mean over the blocks; medians of 5 launches)
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 5, kMostBlocks = 1056;
constexpr std::uint64_t kSwept = 256ull << 20, kMB = 1 << 20;

__global__ void write_lines(char* data, std::uint64_t words) {
  auto* const at = reinterpret_cast<uint4*>(data);
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < words;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    at[i] = uint4{0, 0, 0, 0};
}

template <int kLoads>
__global__ void loads(const char* data, std::uint64_t apart, std::uint64_t* out) {
  __shared__ unsigned long long last;
  if (threadIdx.x == 0) last = 0;
  __syncthreads();
  const std::uint64_t first = clock_now();
  const char* const at = data + (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) * 16;
  uint4 v[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                 : "l"(at + apart * i)
                 : "memory");
#pragma unroll
  for (int i = 0; i < kLoads; ++i) wait_for(v[i].x);
  atomicMax(&last, static_cast<unsigned long long>(clock_now() - first));
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = last;
}

template <int kLoads>
void print(char* data, char* other, std::uint64_t* out, unsigned* sink, const char* swept,
           std::uint64_t apart, int blocks, int threads) {
  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  std::vector<double> ns, first, last, all;
  for (int run = 0; run < kRuns; ++run) {
    if (swept[0] == 's') write_lines<<<1056, 256>>>(other, kSwept / 16);
    if (swept[0] == 'l') read_lines<<<1056, 256>>>(other, kSwept / 128, sink);
    if (swept[0] == 'n') loads<kLoads><<<blocks, threads>>>(data, apart, out);
    CHECK(cudaEventRecord(before));
    loads<kLoads><<<blocks, threads>>>(data, apart, out);
    CHECK(cudaEventRecord(after));
    CHECK(cudaEventSynchronize(after));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, before, after));
    ns.push_back(ms * 1e6);
    const auto of_blocks = host_copy(out, blocks);
    double least = 1e18, most = 0;
    for (const std::uint64_t each : of_blocks) {
      least = std::min(least, static_cast<double>(each));
      most = std::max(most, static_cast<double>(each));
    }
    first.push_back(least);
    last.push_back(most);
    all.push_back(mean(of_blocks));
  }
  std::printf("%s,%llu,%d,%d,%d,%.0f,%.0f,%.0f,%.0f\n", swept,
              static_cast<unsigned long long>(apart), kLoads, blocks, threads, median(ns),
              median(first), median(last), median(all));
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));
}

}  // namespace

int main() {
  char* const data = device<char>(512 * kMB);
  char* const other = device<char>(kSwept);
  auto* const out = device<std::uint64_t>(kMostBlocks);
  auto* const sink = device<unsigned>(1);
  for (int i = 0; i < 200; ++i) read_lines<<<1056, 256>>>(other, kSwept / 128, sink);
  CHECK(cudaDeviceSynchronize());
  std::puts("swept,apart,loads,blocks,threads,launch_ns,first,last,mean");
  for (const char* swept : {"nothing", "loads", "stores"})
    for (const int blocks : {1, 8, 66, 132, 264, 700})
      for (const int threads : {32, 256}) {
        print<1>(data, other, out, sink, swept, 0, blocks, threads);
        for (const std::uint64_t apart : {kMB / 4, kMB, 4 * kMB, 8 * kMB, 33 * kMB}) {
          print<2>(data, other, out, sink, swept, apart, blocks, threads);
          print<4>(data, other, out, sink, swept, apart, blocks, threads);
        }
      }
  return 0;
}
