// Distributed shared memory and the barrier of a cluster, by hand: what
// experiments/hopper_dsmem.gpx and hopper_cluster.gpx are held against. No code of gpx.
//
// Latency: thread 0 of rank 0 follows 64-bit links through the shared memory of the block of a
// rank; clocks of 512 loads minus those of 256, over 256. Bandwidth: all blocks read from, or write
// to, the next rank; the slowest block's clocks. Barrier: 64 in a row minus 32, over 32. Output:
// what,cluster,rank,clocks   and   what,cluster,bytes,B/clk of an SM. With `pairs`, only the
// latency between all SMs of a cluster of 2 and of one of 16: cluster,from,to,SM,SM,clocks. Needs
// compute capability 9.0. Usage: dsmem [pairs]
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.h"

constexpr int kWords = 128;       // Links of the chase.
constexpr int kBytes = 32 << 10;  // Of shared memory that bandwidth is measured in.

__device__ __forceinline__ unsigned rank_of_block() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ unsigned blocks_of_cluster() {
  unsigned count;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
}
__device__ __forceinline__ std::uint64_t mapped(const void* own, unsigned rank) {
  std::uint64_t there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
  return there;
}
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned sm_of_block() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

// By the block of rank `from`. `to` == -1: by plain addresses of its own shared memory. SMs by rank
// stand behind the first two words.
__global__ void latency(std::uint64_t* out, int loads, unsigned from, int to) {
  __shared__ std::uint64_t links[kWords];
  const std::uint64_t own =
      to < 0 ? __cvta_generic_to_shared(links) : mapped(links, rank_of_block());
  if (threadIdx.x == 0)
    for (int i = 0; i < kWords; ++i) links[i] = own + 8 * ((i + 1) % kWords);
  if (threadIdx.x == 0) out[2 + rank_of_block()] = sm_of_block();
  meet();
  if (rank_of_block() == from && threadIdx.x == 0) {
    std::uint64_t link = to < 0 ? own : mapped(links, static_cast<unsigned>(to));
    for (int pass = 0; pass < 2; ++pass) {
      const long long begin = clock64();
      if (to < 0)
        for (int i = 0; i < loads; i += 32)
#pragma unroll
          for (int k = 0; k < 32; ++k)
            asm volatile("ld.shared.u64 %0, [%0];" : "+l"(link)::"memory");
      else
        for (int i = 0; i < loads; i += 32)
#pragma unroll
          for (int k = 0; k < 32; ++k) asm volatile("ld.u64 %0, [%0];" : "+l"(link)::"memory");
      out[1] = link;
      out[0] = clock64() - begin;
    }
  }
  meet();
}

template <bool store, typename Word>
__global__ void bandwidth(std::uint64_t* out, int accesses) {
  __shared__ __align__(16) unsigned char memory[kBytes];
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x) memory[i] = static_cast<unsigned char>(i);
  const unsigned next = (rank_of_block() + 1) % blocks_of_cluster();

  const std::uint64_t base = mapped(memory, next);

  unsigned sum = 0;
  long long taken = 0;
  for (int pass = 0; pass < 2; ++pass) {
    meet();
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 4
    for (int i = 0; i < accesses; ++i) {
      const std::uint64_t at =
          base + (threadIdx.x + i * blockDim.x) * sizeof(Word) % static_cast<unsigned>(kBytes);
      unsigned a = i, b = 0, c = 0, d = 0;
      if constexpr (sizeof(Word) == 4 && !store)
        asm volatile("ld.u32 %0, [%1];" : "=r"(a) : "l"(at) : "memory");
      if constexpr (sizeof(Word) == 16 && !store)
        asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(at)
                     : "memory");
      if constexpr (sizeof(Word) == 4 && store)
        asm volatile("st.u32 [%0], %1;" ::"l"(at), "r"(a) : "memory");
      if constexpr (sizeof(Word) == 16 && store)
        asm volatile("st.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(a) : "memory");
      sum += a + b + c + d;
    }
    if (sum == 0x12345678u) out[1] = sum;
    if (store) meet();  // What was stored has arrived.
    __syncthreads();
    taken = clock64() - begin;
  }
  if (threadIdx.x == 0)
    atomicMax(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(taken));
  meet();
}

template <bool relaxed>
__global__ void barriers(std::uint64_t* out, int count) {
  for (int pass = 0; pass < 2; ++pass) {
    meet();
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < count; i += 8)
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        if (relaxed)
          asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        else
          asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
      }
    if (threadIdx.x == 0 && rank_of_block() == 0) out[0] = clock64() - begin;
  }
  meet();
}

template <typename Kernel, typename... Args>
double clocks(Kernel kernel, int cluster, int threads, std::uint64_t* out, Args... args) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(cluster);
  config.blockDim = dim3(threads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  std::vector<double> all;
  for (int i = 0; i < 11; ++i) {
    CHECK(cudaMemset(out, 0, 16));
    CHECK(cudaLaunchKernelEx(&config, kernel, out, args...));
    std::uint64_t taken = 0;
    CHECK(cudaMemcpy(&taken, out, 8, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(taken));
  }
  std::nth_element(all.begin(), all.begin() + 5, all.end());
  return all[5];
}

template <typename Kernel, typename... Args>
double slope(Kernel kernel, int cluster, int threads, std::uint64_t* out, int count, Args... args) {
  const double few = clocks(kernel, cluster, threads, out, count, args...);
  return (clocks(kernel, cluster, threads, out, 2 * count, args...) - few) / count;
}

void pairs(int cluster, std::uint64_t* out) {
  for (int from = 0; from < cluster; ++from)
    for (int to = 0; to < cluster; ++to) {
      const double clocks = slope(latency, cluster, 1, out, 256, static_cast<unsigned>(from), to);
      std::uint64_t sms[16];
      CHECK(cudaMemcpy(sms, out + 2, sizeof(std::uint64_t) * cluster, cudaMemcpyDeviceToHost));
      std::printf("%d,%d,%d,%d,%d,%.2f\n", cluster, from, to, static_cast<int>(sms[from]),
                  static_cast<int>(sms[to]), clocks);
    }
}

int main(int argc, char** argv) {
  std::uint64_t* out = nullptr;
  CHECK(cudaMalloc(&out, 18 * sizeof *out));
  if (argc > 1 && std::string_view(argv[1]) == "pairs") {
    std::printf("cluster,from,to,sm_from,sm_to,clocks\n");
    for (int cluster : {2, 16}) pairs(cluster, out);
    return 0;
  }
  for (int cluster : {2, 4, 8, 16}) {
    std::printf("latency,%d,plain,%.2f\n", cluster, slope(latency, cluster, 1, out, 256, 0u, -1));
    for (int to = 0; to < cluster; ++to)
      std::printf("latency,%d,%d,%.2f\n", cluster, to,
                  slope(latency, cluster, 1, out, 256, 0u, to));
  }
  for (int cluster : {2, 4, 8, 16}) {
    constexpr int kThreads = 512, kCount = 16;
    const auto rate = [&](double slope, int bytes) { return kThreads * bytes / slope; };
    std::printf("read,%d,4,%.2f\n", cluster,
                rate(slope(bandwidth<false, unsigned>, cluster, kThreads, out, kCount), 4));
    std::printf("read,%d,16,%.2f\n", cluster,
                rate(slope(bandwidth<false, uint4>, cluster, kThreads, out, kCount), 16));
    std::printf("write,%d,4,%.2f\n", cluster,
                rate(slope(bandwidth<true, unsigned>, cluster, kThreads, out, kCount), 4));
    std::printf("write,%d,16,%.2f\n", cluster,
                rate(slope(bandwidth<true, uint4>, cluster, kThreads, out, kCount), 16));
  }
  for (int cluster : {1, 2, 4, 8, 16}) {
    std::printf("barrier,%d,fences,%.2f\n", cluster, slope(barriers<false>, cluster, 32, out, 32));
    std::printf("barrier,%d,relaxed,%.2f\n", cluster, slope(barriers<true>, cluster, 32, out, 32));
  }
  return 0;
}
