// Reads the same bytes `rounds` times, each time with loads that pass by L1: what L2 hands over to all SMs, where
// they fit into it. The grid's threads lie 16 B apart and read `each` times a round. Nothing is written: `out` keeps
// the loads, as no sum of the data is 1.
extern "C" __global__ void read_again(unsigned* out, const uint4* data, int each, int rounds) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const uint4* mine = data + static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 8
    for (int i = 0; i < each; ++i) {
      uint4 v;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(mine + i * threads));
      sum |= v.x | v.y | v.z | v.w;
    }
  }
  if (sum == 1) *out = sum;
}
