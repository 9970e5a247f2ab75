// What all SMs read together, by hand, by how many loads are in flight: words or vectors, `deep` of
// them by each thread, one after the other in memory or lines in another order. Nothing of gpx is
// used here.
//
// Usage: dram_load    Output: deep,words,threads,blocks_of_sm,shuffled,mb,us (the least of 4
// launches)
#include <algorithm>
#include <cstdio>

#include "check.h"

namespace {

template <int kDeep, int kWords>
__global__ void reads(float* out, const float* data, unsigned words, bool shuffled) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = 0;
  for (unsigned i = t; i < words; i += all * kDeep) {
    float4 v[kDeep];
#pragma unroll
    for (int k = 0; k < kDeep; ++k) {
      unsigned j = i + k * all;
      if (j >= words) j = t;
      if (shuffled) j = j / 32 * 2654435761u % (words / 32) * 32 + j % 32;
      v[k] = float4{};
      if (kWords == 1)
        asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[k].x) : "l"(data + j));
      else
        asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[k].x), "=f"(v[k].y), "=f"(v[k].z), "=f"(v[k].w)
                     : "l"(data + 4 * static_cast<size_t>(j)));
    }
#pragma unroll
    for (int k = 0; k < kDeep; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  if (sum == 12345) out[t] = sum;
}

template <int kDeep, int kWords>
void measure(float* out, const float* data, unsigned mb, bool shuffled) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int threads : {128, 512, 1024})
    for (int blocks : {1, 2, 4, 8, 16}) {
      if (threads * blocks > 2048) continue;
      float least = 1e9;
      for (int repetition = 0; repetition < 4; ++repetition) {
        float ms;
        CHECK(cudaEventRecord(begin));
        reads<kDeep, kWords><<<132 * blocks, threads>>>(out, data, (mb << 18) / kWords, shuffled);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = std::min(least, ms);
      }
      std::printf("%d,%d,%d,%d,%d,%u,%.3f\n", kDeep, kWords, threads, blocks, shuffled, mb,
                  1e3 * least);
    }
}

}  // namespace

int main() {
  float *out, *data;
  CHECK(cudaMalloc(&out, 1 << 24));
  CHECK(cudaMalloc(&data, 256 << 20));
  CHECK(cudaMemset(data, 0, 256 << 20));
  std::printf("deep,words,threads,blocks_of_sm,shuffled,mb,us\n");
  for (unsigned mb : {16, 40, 256})
    for (bool shuffled : {false, true}) {
      measure<1, 1>(out, data, mb, shuffled);
      measure<2, 1>(out, data, mb, shuffled);
      measure<4, 1>(out, data, mb, shuffled);
      measure<8, 1>(out, data, mb, shuffled);
      if (shuffled) continue;
      measure<1, 4>(out, data, mb, shuffled);
      measure<4, 4>(out, data, mb, shuffled);
    }
}
