// Reads by loads that pass by L1, eight of 16 B a thread in each of `rounds` rounds. read_again: the rounds read the same
// bytes, `step` 0, or each the next ones: what L2 hands over to all SMs, where they fit into it. read_beyond: each round
// reads the next bytes, of `laps` rounds, over and over: where L2 holds less, none is there. The grid's threads lie 16 B apart;
// `step`: words of 16 B by which a round lies behind the one before, eight times the grid's threads.
// Nothing is written: `out` keeps the loads, as no sum of the data is 1.
constexpr int kAccesses = 8;

__device__ unsigned read_eight(const uint4* mine) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  uint4 v[kAccesses];
#pragma unroll
  for (int i = 0; i < kAccesses; ++i)
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                 : "l"(mine + i * threads));
#pragma unroll
  for (int i = 0; i < kAccesses; ++i) sum |= v[i].x;
  return sum;
}

__device__ const uint4* first_of(const uint4* data) {
  return data + static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

extern "C" __global__ void read_again(unsigned* out, const uint4* data, int step, int rounds) {
  const uint4* mine = first_of(data);
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum |= read_eight(mine);
    mine += step;
  }
  if (sum == 1) *out = sum;
}

extern "C" __global__ void read_beyond(unsigned* out, const uint4* data, int step, int rounds, int laps) {
  const uint4* mine = first_of(data);
  unsigned sum = 0;
  for (int round = 0, lap = 0; round < rounds; ++round) {
    sum |= read_eight(mine);
    mine += step;
    if (++lap < laps) continue;
    mine -= static_cast<long long>(step) * laps;
    lap = 0;
  }
  if (sum == 1) *out = sum;
}
