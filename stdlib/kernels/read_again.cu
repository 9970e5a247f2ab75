// Reads by loads that pass by L1, eight of 16 B a thread in each of `rounds` rounds: what L2 hands over to all SMs, where
// the rounds read the same bytes, which fit into it. `step`: words of 16 B by which a round lies behind the one before:
// 0, or eight times the grid's threads, where no round reads what another one did. The grid's threads lie 16 B apart.
// Nothing is written: `out` keeps the loads, as no sum of the data is 1.
constexpr int kAccesses = 8;

extern "C" __global__ void read_again(unsigned* out, const uint4* data, int step, int rounds) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const uint4* mine = data + static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    uint4 v[kAccesses];
#pragma unroll
    for (int i = 0; i < kAccesses; ++i)
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                   : "l"(mine + i * threads));
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) sum |= v[i].x;
    mine += step;
  }
  if (sum == 1) *out = sum;
}
