// How long a block lives that reads, writes or copies one word a thread, and how long its place is
// empty behind it: clocks from its first instruction to the last, and the rest of what blocks take
// that follow each other in one place.
//
// Usage: block_life >block_life.csv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
template <class T>
__device__ T one(unsigned i);
template <>
__device__ unsigned one<unsigned>(unsigned i) {
  return i;
}
template <>
__device__ uint2 one<uint2>(unsigned i) {
  return {i, i};
}
template <>
__device__ uint4 one<uint4>(unsigned i) {
  return {i, i, i, i};
}
__device__ unsigned low(unsigned v) {
  return v;
}
__device__ unsigned low(uint2 v) {
  return v.x + v.y;
}
__device__ unsigned low(uint4 v) {
  return v.x + v.y + v.z + v.w;
}
template <class T, int kind, bool stamps>
__global__ void move(T* to, const T* from, unsigned long long* life, unsigned n) {
  long long begin = clock64();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (kind == 0) {
      T v = from[i];
      if (low(v) == 0x12345678u) to[i] = v;
    }
    if (kind == 1) to[i] = one<T>(i);
    if (kind == 2) to[i] = from[i];
  }
  if (stamps) {
    __syncthreads();
    if (threadIdx.x == 0)
      atomicAdd(life + blockIdx.x % 1024 * 16, (unsigned long long)(clock64() - begin));
  }
}
static unsigned long long* life;
template <class T, int kind>
void run(void* to, void* from, size_t bytes, int threads, const char* name) {
  unsigned n = bytes / sizeof(T), blocks = (n + threads - 1) / threads;
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float best[2];
  double mean = 0;
  for (int stamps = 0; stamps < 2; ++stamps) {
    std::vector<float> ms;
    for (int r = 0; r < 9; ++r) {
      cudaMemset(life, 0, 1024 * 16 * 8);
      cudaDeviceSynchronize();
      cudaEventRecord(a);
      if (stamps)
        move<T, kind, true><<<blocks, threads>>>((T*)to, (const T*)from, life, n);
      else
        move<T, kind, false><<<blocks, threads>>>((T*)to, (const T*)from, life, n);
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      float t;
      cudaEventElapsedTime(&t, a, b);
      ms.push_back(t);
    }
    std::sort(ms.begin(), ms.end());
    best[stamps] = ms[4];
    if (stamps) {
      std::vector<unsigned long long> h(1024 * 16);
      cudaMemcpy(h.data(), life, h.size() * 8, cudaMemcpyDeviceToHost);
      unsigned long long s = 0;
      for (int i = 0; i < 1024; ++i) s += h[i * 16];
      mean = double(s) / blocks;
    }
  }
  double clk = best[1] * 1e-3 * 1.98e9 - 4000,
         slots = 132.0 * (2048 / threads > 32 ? 32 : 2048 / threads);
  printf("%s,%zu,%zu,%d,%u,%.3f,%.3f,%.1f,%.1f\n", name, sizeof(T), bytes >> 20, threads, blocks,
         best[0] * 1e3, best[1] * 1e3, mean, clk * slots / blocks - mean);
  cudaEventDestroy(a);
  cudaEventDestroy(b);
}
template <class T>
void all(void* to, void* from, size_t bytes, int threads) {
  run<T, 0>(to, from, bytes, threads, "read");
  run<T, 1>(to, from, bytes, threads, "write");
  run<T, 2>(to, from, bytes, threads, "copy");
}
int main() {
  void *a, *b;
  cudaMalloc(&a, 512 << 20);
  cudaMalloc(&b, 512 << 20);
  cudaMalloc(&life, 1024 * 16 * 8);
  cudaMemset(a, 1, 512 << 20);
  cudaMemset(b, 1, 512 << 20);
  printf("kind,word,mb,threads,blocks,us,us_stamped,life,gap\n");
  for (size_t mb : {8, 64, 256})
    for (int threads : {64, 128, 256, 512, 1024}) {
      all<unsigned>(a, b, mb << 20, threads);
      all<uint4>(a, b, mb << 20, threads);
      if (threads == 256) all<uint2>(a, b, mb << 20, threads);
    }
  return cudaGetLastError() != cudaSuccess;
}
