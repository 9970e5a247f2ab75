// What a warp waits for near its SM: constants that uniform loads bring, and votes of barriers.

__constant__ float coefficients[1024];

// Sixteen words, a line of 64 bytes, in each round; the lines of `bytes` in turn, a power of two.
__global__ void uniform(float* out, int rounds, unsigned bytes) {
  const float x = threadIdx.x * 1e-6f;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    const float* line = coefficients + (k * 16 & (bytes / 4 - 1));
#pragma unroll
    for (int i = 0; i < 16; ++i) sum = sum * x + line[i];
  }
  out[threadIdx.x] = sum;
}

// A barrier that counts, in each round.
__global__ void votes(int* out, int rounds) {
  int count = 0;
  unsigned x = threadIdx.x;
#pragma unroll 4
  for (int k = 0; k < rounds; ++k) {
    x = x * 1664525u + 1013904223u;
    count += __syncthreads_count(x >> 31);
  }
  out[threadIdx.x] = count;
}
