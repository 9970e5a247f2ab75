// Copies of 4, 8 and 16 bytes from global to shared memory (cp.async), by hand: what
// experiments/hopper_async.gpx is held against. No code of gpx.
//
// Latency: one thread copies a word and waits for it, again and again, from places 256 B apart that
// the pass before has read; clocks of 128 copies minus those of 64, over 64. A plain load likewise:
// each address depends on the value before. Rate: 128 threads of one block copy, then wait once;
// what eight more copies of a thread take. Output: what,bytes,operator,clocks   and
// rate,threads,bytes,B/clk of the SM. Needs compute capability 8.0.
// Usage: async_copy
#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.h"

constexpr int kStep = 256;

template <int bytes, bool cg>
__device__ __forceinline__ void copy(unsigned to, const void* from) {
  if constexpr (cg)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes)
                 : "memory");
}
__device__ __forceinline__ void wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
__device__ __forceinline__ unsigned at(const void* own) {
  return static_cast<unsigned>(__cvta_generic_to_shared(own));
}

template <int bytes, bool cg>
__global__ void latency(std::uint64_t* out, const unsigned char* data, int copies) {
  __shared__ __align__(16) unsigned char target[16];
  const unsigned to = at(target);
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned char* from = data;
    const long long begin = clock64();
    for (int i = 0; i < copies; i += 16)
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        copy<bytes, cg>(to, from);
        wait_all();
        from += kStep;
      }
    out[0] = clock64() - begin;
  }
  out[1] = target[0];
}

// Links of 8 B, kStep apart.
template <bool cg>
__global__ void chase(std::uint64_t* out, const unsigned char* data, int loads) {
  for (int pass = 0; pass < 2; ++pass) {
    std::uint64_t link = reinterpret_cast<std::uint64_t>(data);
    const long long begin = clock64();
    for (int i = 0; i < loads; i += 16)
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        if constexpr (cg)
          asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(link)::"memory");
        else
          asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(link)::"memory");
      }
    out[1] = link;
    out[0] = clock64() - begin;
  }
}

// The copies of a thread lie a block apart, as its places in shared memory do.
template <int bytes, bool cg, int count>
__global__ void rate(std::uint64_t* out, const unsigned char* data) {
  extern __shared__ __align__(16) unsigned char slots[];
  const unsigned to = at(slots) + threadIdx.x * bytes;
  const unsigned char* from = data + threadIdx.x * bytes;
  const int step = blockDim.x * bytes;
  long long taken = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const long long begin = clock64();
#pragma unroll
    for (int k = 0; k < count; ++k) copy<bytes, cg>(to + k * step, from + k * step);
    wait_all();
    __syncthreads();
    taken = clock64() - begin;
  }
  if (threadIdx.x % 32 == 0)
    atomicMax(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(taken));
}

template <typename Launch>
double clocks(std::uint64_t* out, Launch launch) {
  std::vector<double> all;
  for (int i = 0; i < 21; ++i) {
    CHECK(cudaMemset(out, 0, 16));
    launch();
    std::uint64_t taken = 0;
    CHECK(cudaMemcpy(&taken, out, 8, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(taken));
  }
  std::nth_element(all.begin(), all.begin() + 10, all.end());
  return all[10];
}

template <typename Kernel>
double slope(Kernel kernel, std::uint64_t* out, const unsigned char* data) {
  constexpr int kFew = 64;
  const double few = clocks(out, [&] { kernel<<<1, 1>>>(out, data, kFew); });
  return (clocks(out, [&] { kernel<<<1, 1>>>(out, data, 2 * kFew); }) - few) / kFew;
}

template <int bytes, bool cg>
void rates(std::uint64_t* out, const unsigned char* data) {
  constexpr int kThreads = 128, kMore = 8 * kThreads * bytes;
  const double few = clocks(out, [&] { rate<bytes, cg, 8><<<1, kThreads, kMore>>>(out, data); });
  const double more =
      clocks(out, [&] { rate<bytes, cg, 16><<<1, kThreads, 2 * kMore>>>(out, data); });
  const double most =
      clocks(out, [&] { rate<bytes, cg, 24><<<1, kThreads, 3 * kMore>>>(out, data); });
  std::printf("rate,%d,%d,%s,%.2f,%.2f\n", kThreads, bytes, cg ? "cg" : "ca", kMore / (more - few),
              kMore / (most - more));
}

int main() {
  std::uint64_t* out = nullptr;
  unsigned char* data = nullptr;
  constexpr int kBytes = 1 << 20;
  CHECK(cudaMalloc(&out, 16));
  CHECK(cudaMalloc(&data, kBytes));
  std::vector<std::uint64_t> links(kBytes / 8);
  for (int i = 0; i < kBytes; i += kStep)
    links[i / 8] = reinterpret_cast<std::uint64_t>(data) + (i + kStep) % kBytes;
  CHECK(cudaMemcpy(data, links.data(), kBytes, cudaMemcpyHostToDevice));
  std::printf("load,8,ca,%.2f\n", slope(chase<false>, out, data));
  std::printf("load,8,cg,%.2f\n", slope(chase<true>, out, data));
  std::printf("cp_async,4,ca,%.2f\n", slope(latency<4, false>, out, data));
  std::printf("cp_async,8,ca,%.2f\n", slope(latency<8, false>, out, data));
  std::printf("cp_async,16,ca,%.2f\n", slope(latency<16, false>, out, data));
  std::printf("cp_async,16,cg,%.2f\n", slope(latency<16, true>, out, data));
  rates<4, false>(out, data);
  rates<8, false>(out, data);
  rates<16, false>(out, data);
  rates<16, true>(out, data);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
