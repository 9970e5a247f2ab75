// Three things that warps of an SM wait for, by hand: sums of floating point on words of shared
// memory, calls through pointers and jumps through tables, and tables of constants that lanes read
// at random. Nothing of gpx is used here.
//
// Usage: near_paths    Output: what,warps,a,b,c,clocks of a round of all warps of a block
//   sum, sum64   a distinct words, b words apart; warps c words apart
//   call         lanes go to a functions; direct: all to one that the code names; jump: to a places
//   table        a words of constants, b blocks
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check.h"

namespace {

template <typename T>
__global__ void sums(T* out, long long* clocks, int distinct, int apart, int of_warps, int rounds) {
  extern __shared__ unsigned char bytes[];
  T* const words = reinterpret_cast<T*>(bytes);
  const int t = threadIdx.x, lane = t % 32;
  for (int i = t; i < 32768 / static_cast<int>(sizeof(T)); i += blockDim.x) words[i] = 0;
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    atomicAdd(&words[lane % distinct * apart + t / 32 * of_warps], static_cast<T>(1.5));
  const long long end = clock64();
  __syncthreads();
  out[t] = words[t];
  if (lane == 0) clocks[t / 32] = end - begin;
}

__device__ __noinline__ float first(float x) {
  return x * 1.5f + 1;
}
__device__ __noinline__ float second(float x) {
  return x * 0.5f + 2;
}
__device__ __noinline__ float third(float x) {
  return x * 0.25f + 3;
}
__device__ __noinline__ float fourth(float x) {
  return x * 0.125f + 4;
}

__global__ void calls(float* out, long long* clocks, int kinds, int rounds) {
  float (*function[4])(float) = {first, second, third, fourth};
  const int kind = threadIdx.x % kinds;
  float v = threadIdx.x;
  for (int i = 0; i < 2; ++i) v = function[(kind + i) & 3](v);
  const long long begin = clock64();
  for (int i = 0; i < rounds; ++i) v = function[(kind + i) & 3](v);
  const long long end = clock64();
  out[threadIdx.x] = v;
  if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32] = end - begin;
}
__global__ void direct(float* out, long long* clocks, int, int rounds) {
  float v = second(first(threadIdx.x));
  const long long begin = clock64();
  for (int i = 0; i < rounds; ++i) v = first(v);
  const long long end = clock64();
  out[threadIdx.x] = v;
  if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32] = end - begin;
}
__global__ void jumps(float* out, long long* clocks, int kinds, int rounds) {
  const int kind = threadIdx.x % kinds;
  float v = threadIdx.x;
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) switch ((kind + i) & 7) {
      case 0:
        v = v * 1.5f + 1;
        break;
      case 1:
        v = sqrtf(v);
        break;
      case 2:
        v = v / 3.1f;
        break;
      case 3:
        v = __sinf(v);
        break;
      case 4:
        v += 5;
        break;
      case 5:
        v = exp2f(v);
        break;
      case 6:
        v = v * v - 1;
        break;
      default:
        v = -v;
    }
  const long long end = clock64();
  out[threadIdx.x] = v;
  if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32] = end - begin;
}

__constant__ unsigned table[16000];
__global__ void look_ups(unsigned* out, long long* clocks, int words, int rounds) {
  unsigned h = (threadIdx.x + blockIdx.x * blockDim.x) * 2654435761u, sum = 0;
  long long begin = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    begin = clock64();
    for (int i = 0; i < rounds; ++i) {
      sum += table[(h >> 8) % words];
      h = h * 1664525u + 1013904223u;
    }
  }
  const long long end = clock64();
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
  if (threadIdx.x % 32 == 0) clocks[blockIdx.x * 32 + threadIdx.x / 32] = end - begin;
}

/// Of the warps of block 0 the slowest, in the second launch; of a round.
template <typename Launch>
double longest(Launch launch, const long long* clocks, int warps, int rounds) {
  std::vector<long long> of_warps(warps);
  launch();
  launch();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(of_warps.data(), clocks, warps * sizeof(long long), cudaMemcpyDeviceToHost));
  return static_cast<double>(*std::max_element(of_warps.begin(), of_warps.end())) / rounds;
}

}  // namespace

int main() {
  constexpr int kShared = 32768, kSums = 32, kRounds = 64;
  void* out;
  long long* clocks;
  CHECK(cudaMalloc(&out, 1 << 24));
  CHECK(cudaMalloc(&clocks, 1 << 20));
  std::printf("what,warps,a,b,c,clocks\n");
  const auto tell = [](const char* what, int warps, int a, int b, int c, double value) {
    std::printf("%s,%d,%d,%d,%d,%.2f\n", what, warps, a, b, c, value);
  };
  for (int warps : {1, 4, 8, 16})
    for (int distinct : {1, 2, 3, 4, 8, 16, 32})
      for (int apart : {1, 2, 4, 8, 16, 32})
        for (int of_warps : {0, 33}) {
          if (warps == 1 && of_warps > 0) continue;
          tell("sum", warps, distinct, apart, of_warps,
               longest(
                   [&] {
                     sums<<<1, 32 * warps, kShared>>>(static_cast<float*>(out), clocks, distinct,
                                                      apart, of_warps, kSums);
                   },
                   clocks, warps, kSums));
        }
  for (int warps : {1, 8})
    for (int distinct : {1, 2, 4, 16, 32})
      for (int apart : {1, 16})
        tell("sum64", warps, distinct, apart, 0,
             longest(
                 [&] {
                   sums<<<1, 32 * warps, kShared>>>(static_cast<double*>(out), clocks, distinct,
                                                    apart, 0, kSums);
                 },
                 clocks, warps, kSums));
  float* const words = static_cast<float*>(out);
  for (int warps : {1, 4, 16}) {
    for (int kinds : {1, 2, 3, 4})
      tell("call", warps, kinds, 0, 0,
           longest([&] { calls<<<1, 32 * warps>>>(words, clocks, kinds, kRounds); }, clocks, warps,
                   kRounds));
    tell("direct", warps, 1, 0, 0,
         longest([&] { direct<<<1, 32 * warps>>>(words, clocks, 1, kRounds); }, clocks, warps,
                 kRounds));
    for (int kinds : {1, 2, 4, 8})
      tell("jump", warps, kinds, 0, 0,
           longest([&] { jumps<<<1, 32 * warps>>>(words, clocks, kinds, kRounds); }, clocks, warps,
                   kRounds));
  }
  for (int blocks : {1, 132})
    for (int warps : {1, 4, 16, 32})
      for (int size : {64, 256, 512, 1024, 2048, 4096, 8192, 15000})
        tell("table", warps, size, blocks, 0,
             longest(
                 [&] {
                   look_ups<<<blocks, 32 * warps>>>(static_cast<unsigned*>(out), clocks, size,
                                                    kRounds);
                 },
                 clocks, warps, kRounds));
}
