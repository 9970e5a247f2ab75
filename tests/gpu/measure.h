// What the hand-written programs that measure caches have in common: clocks that wait for a value,
// the choice of an SM, memory of the device, means. Nothing of gpx is used here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.h"

inline __device__ std::uint64_t clock_now() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

inline __device__ std::uint64_t nanoseconds_now() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// Bits that look random, the same ones each time.
inline __device__ unsigned mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}

inline __device__ unsigned this_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

// What follows is not executed before `value` is there: a branch depends on it. (A predicate on the
// read of a clock is not enough: the assembler may read it early and select.) No value measured is
// the one that traps.
template <typename T>
__device__ void wait_for(T value) {
  if (value == static_cast<T>(0x7fedcba9)) asm volatile("trap;");
}

// Of a grid of some blocks for each SM, one block on that SM goes on. Shared memory is not used.
inline __device__ bool chosen(int sm, unsigned* claim) {
  const bool mine =
      threadIdx.x == 0 && static_cast<int>(this_sm()) == sm && atomicAdd(claim, 1u) == 0;
  return __syncthreads_or(mine) != 0;
}

// A read of all lines by the whole GPU, past L1: brings them into L2, and others out of it.
[[maybe_unused]] static __global__ void read_lines(const char* data, std::uint64_t lines,
                                                   unsigned* sink) {
  unsigned sum = 0;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < lines;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + i * 128) : "memory");
    sum += v;
  }
  if (sum == 0x12345) *sink = sum;
}

// Memory of the device, all zero.
template <typename T>
T* device(std::size_t count) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

template <typename T>
std::vector<T> host_copy(const T* from, std::size_t count) {
  std::vector<T> out(count);
  CHECK(cudaMemcpy(out.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return out;
}

template <typename T>
void to_device(T* to, const std::vector<T>& from) {
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T>
T median(std::vector<T> all) {
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

// Of so many launches the median time from the event before to the one after, in nanoseconds.
template <class Launch>
double nanoseconds_of(int runs, Launch launch) {
  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  std::vector<double> all;
  for (int run = 0; run < runs; ++run) {
    CHECK(cudaEventRecord(before));
    launch();
    CHECK(cudaEventRecord(after));
    CHECK(cudaEventSynchronize(after));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, before, after));
    all.push_back(ms * 1e6);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));
  return median(all);
}

template <typename T>
double mean(const std::vector<T>& all) {
  double sum = 0;
  for (const T& one : all) sum += static_cast<double>(one);
  return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

inline int count_of_sms() {
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  return sms;
}
