// What stores, reductions and loads past L1 take by the sectors and lines of a warp's access, by
// hand, and how many sectors of stores one after another reach L2. Nothing of gpx is used here.
//
// Usage: store_patterns            Output: kind,blocks,lines,sectors,words,clocks of an access of
// an SM
//          kind 0 stores, 1 loads, 2 reductions; `lines` of an access, `sectors` of each, `words`
//          of each sector; 16 warps a block
//        store_patterns merges     one launch of each pattern of merges(): under
//                                  ncu --metrics lts__t_sectors_srcunit_tex_op_write.sum
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "check.h"

namespace {

constexpr unsigned kWords = 8 << 20;

template <int kind>
__global__ void pattern(unsigned* data, int lines, int sectors, int words, int rounds) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32,
                 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned within = lane / (words * sectors) * 32 + lane / words % sectors * 8 + lane % words;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    unsigned* const at = data + (((i * warps + warp) * lines * 32 + within) & (kWords - 1));
    unsigned v = 0;
    if (kind == 0) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
    if (kind == 1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    if (kind == 2) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
    sum += v;
  }
  if (sum == 0x12345) data[0] = sum;
}

/// Each lane stores `kCount` words `step` apart, with `gap` dependent products between two of them;
/// lanes are `apart` words apart.
template <int kCount>
__global__ void merge(unsigned* data, int apart, int gap, int step) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  unsigned v = t;
  for (unsigned round = 0; round < 16; ++round) {
    unsigned* const at = data + ((round * all + t) * apart & (kWords - 1));
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k * step), "r"(v) : "memory");
      for (int g = 0; g < gap; ++g) v = v * 1664525u + 1013904223u;
    }
  }
  if (v == 12345) data[0] = v;
}

void merges(unsigned* data) {
  for (int blocks : {1, 132})
    for (int threads : {32, 256, 1024}) {
      merge<2><<<blocks, threads>>>(data, 2, 0, 1);
      merge<3><<<blocks, threads>>>(data, 3, 0, 1);
      merge<4><<<blocks, threads>>>(data, 4, 0, 1);
      merge<8><<<blocks, threads>>>(data, 8, 0, 1);
      merge<2><<<blocks, threads>>>(data, 8, 0, 1);
      merge<4><<<blocks, threads>>>(data, 8, 0, 1);
      merge<2><<<blocks, threads>>>(data, 2, 20, 1);
      merge<8><<<blocks, threads>>>(data, 8, 20, 1);
      merge<2><<<blocks, threads>>>(data, 32, 0, 1);
      merge<8><<<blocks, threads>>>(data, 32, 0, 1);
    }
  CHECK(cudaDeviceSynchronize());
}

template <int kind>
void measure(unsigned* data, int blocks, double clock_hz, int sms) {
  constexpr int kShapes[][3] = {{1, 4, 8}, {2, 4, 4}, {4, 4, 2},  {8, 4, 1},
                                {2, 2, 8}, {4, 2, 4}, {8, 2, 2},  {16, 2, 1},
                                {4, 1, 8}, {8, 1, 4}, {16, 1, 2}, {32, 1, 1}};
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (const auto& shape : kShapes) {
    double least[2] = {1e9, 1e9};
    for (int rounds : {40, 160})
      for (int repetition = 0; repetition < 5; ++repetition) {
        float ms;
        CHECK(cudaEventRecord(begin));
        pattern<kind><<<blocks, 512>>>(data, shape[0], shape[1], shape[2], rounds);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least[rounds > 40] = std::min<double>(least[rounds > 40], ms);
      }
    const double accesses = 120.0 * 16 * std::max(1.0, static_cast<double>(blocks) / sms);
    std::printf("%d,%d,%d,%d,%d,%.2f\n", kind, blocks, shape[0], shape[1], shape[2],
                (least[1] - least[0]) * 1e-3 * clock_hz / accesses);
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned* data;
  CHECK(cudaMalloc(&data, 4 * kWords + 4096));
  CHECK(cudaMemset(data, 0, 4 * kWords + 4096));
  if (argc > 1 && std::strcmp(argv[1], "merges") == 0) {
    merges(data);
    return 0;
  }
  int sms, khz;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  std::printf("kind,blocks,lines,sectors,words,clocks\n");
  for (int blocks : {1, 66, 132, 264}) {
    measure<0>(data, blocks, 1e3 * khz, sms);
    measure<1>(data, blocks, 1e3 * khz, sms);
    measure<2>(data, blocks, 1e3 * khz, sms);
  }
}
