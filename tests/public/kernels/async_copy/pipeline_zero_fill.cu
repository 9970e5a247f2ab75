// gpx: --entry pipeline_zero_fill --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_pipeline.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void pipeline_zero_fill(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int4 there[64];
  fill();
  there[T] = make_int4(-1, -1, -1, -1);
  __pipeline_memcpy_async(&there[T], (const int4*)source + T, 16, 4 * (T % 5) > 16 ? 16 : 4 * (T % 5));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const int* words = (const int*)&there[T];
  bool good = true;
  for (int i = 0; i < 4; ++i) good &= words[i] == (i < 4 - T % 5 ? 7 * (4 * T + i) + 3 : 0);
  ok[T] = good;
}
