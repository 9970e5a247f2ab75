// gpx: --entry FiniteDifferencesKernel --grid 2,2 --block 16,8 --buffer output=16KB --buffer input=16KB:uniform(0,1) --arg dimx=32 --arg dimy=16 --arg dimz=2
#include "stdio.h"
#include <math.h>
#define RADIUS 1
#define k_blockDimX 16
#define k_blockDimMaxY 8
__constant__ float stencil[RADIUS + 1];
__global__ void FiniteDifferencesKernel(float *output, const float *input, const int dimx, const int dimy, const int dimz) {
  __shared__ float tile[k_blockDimMaxY + 2 * RADIUS][k_blockDimX + 2 * RADIUS];
  const int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;
  const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
  for (int z = 0; z < dimz; ++z) {
    const int at = (z * dimy + gy) * dimx + gx;
    tile[ty][tx] = input[at];
    if (threadIdx.x < RADIUS) { tile[ty][threadIdx.x] = 0; tile[ty][tx + k_blockDimX] = 0; }
    if (threadIdx.y < RADIUS) { tile[threadIdx.y][tx] = 0; tile[ty + k_blockDimMaxY][tx] = 0; }
    __syncthreads();
    float v = stencil[0] * tile[ty][tx];
#pragma unroll RADIUS
    for (int i = 1; i <= RADIUS; i++) v += stencil[i] * (tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
    output[at] = v;
    __syncthreads();
  }
}
#ifdef GPU_PROFILING
#define PROFILE(x) x
#else
#define PROFILE(x)
#endif
bool fdtdGPU(float *output, const float *input, const float *coeff, const int dimx, int argc, const char **argv) {
  cudaDeviceProp props; struct cudaFuncAttributes attr;
  if (cudaGetDeviceProperties(&props, 0) != cudaSuccess) return false;
  PROFILE(cudaEvent_t start);
  printf(" (%s)\n", props.name);
  return true;
}
