// In which order the warps of a partition issue: clocks that each of them reads in code without
// loads. "follow": 16 reads with three products behind each, all without a gap. "stop": behind each
// read 3 products, a branch that nobody takes (its stall count is 6, it does not yield), and 20
// products, the last of which yields (stall count 7).
//
// Prints a line for each warp of one partition: code,warps of the partition,warp,16 clocks
#include <algorithm>
#include <cstdio>

#include "measure.h"

#define P(i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a##i));
#define PRODUCTS_4 P(0) P(1) P(2) P(3)
#define PRODUCTS_20 PRODUCTS_4 PRODUCTS_4 PRODUCTS_4 PRODUCTS_4 PRODUCTS_4
#define READ(k) asm volatile("mov.u32 %0, %%clock;" : "=r"(read[k]));
#define FOLLOW(k) READ(k) P(4) P(5) P(6)
#define STOP(k)                      \
  READ(k) P(4) P(5) P(6) if (flag) { \
    PRODUCTS_20                      \
  }
#define ALL(OF) \
  OF(0)         \
  OF(1) OF(2) OF(3) OF(4) OF(5) OF(6) OF(7) OF(8) OF(9) OF(10) OF(11) OF(12) OF(13) OF(14) OF(15)

namespace {

constexpr int kReads = 16, kPartitions = 4;

#define KERNEL(NAME, OF)                                                              \
  __global__ void __launch_bounds__(1024) NAME(unsigned* out, int flag, int rounds) { \
    float a0 = threadIdx.x, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6;           \
    unsigned read[kReads] = {};                                                       \
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {                \
      __syncthreads();                                                                \
      ALL(OF)                                                                         \
    }                                                                                 \
    if (threadIdx.x % 32 == 0)                                                        \
      for (int k = 0; k < kReads; ++k) out[threadIdx.x / 32 * kReads + k] = read[k];  \
    if (a0 + a1 + a2 + a3 + a4 + a5 + a6 == 1.234f) out[0] = 0;                       \
  }
KERNEL(follow, FOLLOW)
KERNEL(stop, STOP)

void print(const char* name, void (*kernel)(unsigned*, int, int), unsigned* out, int warps) {
  kernel<<<1, 32 * kPartitions * warps>>>(out, 1, 4);
  CHECK(cudaDeviceSynchronize());
  const auto read = host_copy(out, kReads * kPartitions * warps);
  const auto of = [&](int warp, int k) { return read[kPartitions * warp * kReads + k]; };
  unsigned first = of(0, 0);
  for (int warp = 1; warp < warps; ++warp) first = std::min(first, of(warp, 0));
  for (int warp = 0; warp < warps; ++warp) {
    std::printf("%s,%d,%d", name, warps, warp);
    for (int k = 0; k < kReads; ++k) std::printf(",%u", of(warp, k) - first);
    std::printf("\n");
  }
}

}  // namespace

int main() {
  auto* out = device<unsigned>(kReads * 32);
  for (const int warps : {1, 2, 4, 8}) {
    print("follow", follow, out, warps);
    print("stop", stop, out, warps);
  }
}
