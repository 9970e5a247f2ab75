// Few resident warps: by shared memory, by registers, by blocks.
__global__ void chain_loads(int* out, const int* next, int steps) {
  extern __shared__ int scratch[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i;
  for (int k = 0; k < steps; ++k) at = next[at];
  scratch[threadIdx.x] = at;
  out[i] = scratch[threadIdx.x];
}

#ifndef WIDTH
#define WIDTH 96
#endif
__global__ void many_registers(float* out, const float* in, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) v[k] = in[(i + k * 32) & 0xfffff];
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) v[k] = v[k] * v[(k + 1) % WIDTH] + 0.25f;
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) sum += v[k];
  out[i] = sum;
}
