// Counts.

// Points of a square counted in a million cells of memory, or in a few thousand.
__global__ void count_cells(unsigned* count, const float2* point, int n, int side) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = point[i];
    const int x = min((int)(p.x * side), side - 1), y = min((int)(p.y * side), side - 1);
    atomicAdd(&count[y * side + x], 1u);
  }
}

// Bytes counted in COPIES tables of a block, of 257 words each; joined at the end.
#ifndef COPIES
#define COPIES 8
#endif
__global__ void count_bytes(unsigned* out, const uint4* in, int n) {
  __shared__ unsigned table[COPIES * 257];
  for (int i = threadIdx.x; i < COPIES * 257; i += blockDim.x) table[i] = 0;
  __syncthreads();
  unsigned* mine = table + threadIdx.x % COPIES * 257;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 v = in[i];
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16; ++k) atomicAdd(&mine[word[k / 4] >> k % 4 * 8 & 255], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned sum = 0;
    for (int c = 0; c < COPIES; ++c) sum += table[c * 257 + i];
    atomicAdd(&out[i], sum);
  }
}

// Weights added to bins of shared memory as floats; a narrow range meets in few bins.
__global__ void weigh_bins(float* out, const float* value, const float* weight, int n, int bins) {
  extern __shared__ float sum[];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) sum[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sum[min((int)(value[i] * bins), bins - 1)], weight[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&out[i], sum[i]);
}
