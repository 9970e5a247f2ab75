// gpx: --entry pipeline_memcpy_4 --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_pipeline.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void pipeline_memcpy_4(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int there[64];
  fill();
  __pipeline_memcpy_async(&there[T], (const int*)source + T, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int* words = (const int*)&there[63 - T];
  bool good = true;
  for (int i = 0; i < 1; ++i) good &= words[i] == 7 * (1 * (63 - T) + i) + 3;
  ok[T] = good;
}
