// Reads of 16 bytes by every thread, from one level of memory: what experiments/hopper_energy.gpx
// puts under load. A round is eight of them, at distances that are known to the compiler, so that
// hardly anything else is executed. `words` of 16 bytes, a multiple of 8192, are read over and
// over: so many that only L2 holds them, or that only memory does.
//
// The loads are volatile or relaxed: of plain ones an assembler keeps what it has read before. Then
// 2700 bits were counted of shared memory that gives 1024 to an SM in a clock.

constexpr unsigned kReads = 8, kChunk = kReads * 1024;

__device__ void keep(const uint4 (&values)[kReads], unsigned* out) {
  unsigned all = 0;
  for (const uint4& value : values) all ^= value.x ^ value.y ^ value.z ^ value.w;
  if (all == 0x9e3779b9u) *out = all;
}

#define READ(HOW, KIND, AT, VALUE)                                                  \
  asm volatile("ld." HOW ".v4.u32 {%0, %1, %2, %3}, [%4];"                          \
               : "=r"((VALUE).x), "=r"((VALUE).y), "=r"((VALUE).z), "=r"((VALUE).w) \
               : KIND(AT))

__global__ void read_shared(int rounds, const uint4* data, unsigned* out) {
  __shared__ uint4 words[2048];
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = data[i];
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x % 1024));
  uint4 values[kReads] = {};
#pragma unroll 1
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k)
      READ("volatile.shared", "r", at + k % 2 * 1024 * 16, values[k]);
  keep(values, out);
}

// 32 KB, which every L1 holds: relaxed loads of a block are those of ld.ca.
__global__ void read_l1(int rounds, const uint4* data, unsigned* out) {
  unsigned at = threadIdx.x % 256;
  uint4 values[kReads] = {};
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k)
      READ("relaxed.cta.global", "l", data + at + k * 256, values[k]);
    at ^= 32;  // what the next warp has read
  }
  keep(values, out);
}

// Round L1: relaxed loads of the GPU are those of ld.cg.
__global__ void read_l2(int rounds, unsigned words, const uint4* data, unsigned* out) {
  const unsigned step = (gridDim.x | 1) * kChunk % words;
  unsigned at = blockIdx.x * kChunk % words + threadIdx.x;
  uint4 values[kReads] = {};
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k)
      READ("relaxed.gpu.global", "l", data + at + k * 1024, values[k]);
    at += step;
    if (at >= words) at -= words;
  }
  keep(values, out);
}
