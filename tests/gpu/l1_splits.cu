// How L1 and shared memory divide their memory, by hand: how many of a list of lines hit in L1, by
// the length of the list, what a block takes of shared memory, its threads and the carveout that
// the program prefers (-1: none). Nothing of gpx is used here.
//
// Usage: l1_splits             Output: shared,threads,carveout,kb,scattered,hits,lines
//        l1_splits launches    launches of blocks of 32 to 1024 threads with 0 to 230,000 B: under
//                              ncu --metrics launch__shared_mem_config_size they show the split
//                              that the driver chooses
#include <cstdio>
#include <cstring>

#include "check.h"

namespace {

/// One warp reads all lines three times, then counts those that come within 120 clocks. The other
/// blocks end at once.
__global__ void read_lines(const unsigned* data, int lines, bool scattered, unsigned* out) {
  if (blockIdx.x != 0 || threadIdx.x >= 32) return;
  unsigned sum = 0, hits = 0;
  for (int pass = 0; pass < 4; ++pass)
    for (int i = 0; i < lines; ++i) {
      const unsigned line = scattered ? i * 2654435761ull % lines : i;
      unsigned v;
      const long long begin = clock64();
      asm volatile("ld.global.ca.u32 %0, [%1];"
                   : "=r"(v)
                   : "l"(data + line * 32 + threadIdx.x)
                   : "memory");
      if (pass == 3) {
        if (v == 0x7fedcba9) asm volatile("trap;");  // waits for v
        hits += clock64() - begin < 120;
      }
      sum += v;
    }
  if (threadIdx.x == 0) out[0] = hits, out[1] = sum;
}
__global__ void nothing(unsigned* out) {
  extern __shared__ unsigned words[];
  if (out == reinterpret_cast<unsigned*>(1)) out[0] = words[threadIdx.x];
}

void launches(unsigned* out) {
  CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int threads : {32, 128, 256, 512, 1024})
    for (int bytes : {0,      100,    1000,   2000,   3000,   4000,   6000,   7000,  8000,  10000,
                      12000,  16000,  20000,  25000,  32000,  40000,  48000,  60000, 72000, 90000,
                      100000, 110000, 131000, 150000, 164000, 180000, 200000, 230000})
      nothing<<<1, threads, bytes>>>(out);
  CHECK(cudaDeviceSynchronize());
}

void measure(const unsigned* data, unsigned* out, int carveout, int shared, int threads) {
  CHECK(cudaFuncSetAttribute(read_lines, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
  for (int scattered : {0, 1})
    for (int kb = 8; kb <= 288; kb += 4) {
      unsigned read[2];
      read_lines<<<264, threads, shared * 1024>>>(data, kb * 8, scattered != 0, out);
      CHECK(cudaMemcpy(read, out, sizeof(read), cudaMemcpyDeviceToHost));
      std::printf("%d,%d,%d,%d,%d,%u,%d\n", shared, threads, carveout, kb, scattered, read[0],
                  kb * 8);
    }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned *data, *out;
  CHECK(cudaMalloc(&data, 8 << 20));
  CHECK(cudaMemset(data, 0, 8 << 20));
  CHECK(cudaMalloc(&out, 64));
  if (argc > 1 && std::strcmp(argv[1], "launches") == 0) {
    launches(out);
    return 0;
  }
  CHECK(cudaFuncSetAttribute(read_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 * 1024));
  std::printf("shared,threads,carveout,kb,scattered,hits,lines\n");
  for (int shared : {0, 6, 14, 30, 50, 62, 70, 98, 130, 140, 162, 190, 194, 226})
    for (int threads : {32, 1024}) measure(data, out, -1, shared, threads);
  for (int carveout : {0, 50, 100})
    for (int shared : {0, 50}) measure(data, out, carveout, shared, 32);
}
