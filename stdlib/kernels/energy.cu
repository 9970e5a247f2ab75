// Reads of 16 bytes by every thread, from one level of memory: what experiments/hopper_energy.gpx
// puts under load. Each round is four of them; sums keep the loads. `words` of 16 bytes are read
// over and over: so few that L1 holds them, so many that only L2 does, or that only memory does.

__device__ void keep(uint4 value, unsigned* out) {
  if ((value.x ^ value.y ^ value.z ^ value.w) == 0x9e3779b9u) *out = value.x;
}

__device__ void add(uint4& sum, uint4 value) {
  sum.x ^= value.x, sum.y ^= value.y, sum.z ^= value.z, sum.w ^= value.w;
}

__global__ void read_shared(int rounds, const uint4* data, unsigned* out) {
  __shared__ uint4 words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = data[i];
  __syncthreads();
  uint4 sum = {};
  unsigned at = threadIdx.x % 1024;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      uint4 value;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "r"(static_cast<unsigned>(__cvta_generic_to_shared(words + at))));
      add(sum, value);
      at = (at + 256) % 1024;
    }
  keep(sum, out);
}

__global__ void read_l1(int rounds, unsigned words, const uint4* data, unsigned* out) {
  uint4 sum = {};
  unsigned at = threadIdx.x % words;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      uint4 value;
      asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "l"(data + at));
      add(sum, value);
      at += blockDim.x;
      if (at >= words) at -= words;
    }
  keep(sum, out);
}

__global__ void read_l2(int rounds, unsigned words, const uint4* data, unsigned* out) {
  uint4 sum = {};
  const unsigned step = gridDim.x * blockDim.x % words;
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) % words;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      uint4 value;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "l"(data + at));
      add(sum, value);
      at += step;
      if (at >= words) at -= words;
    }
  keep(sum, out);
}
