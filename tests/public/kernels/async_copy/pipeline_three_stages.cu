// gpx: --entry pipeline_three_stages --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda_pipeline.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void pipeline_three_stages(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int stage[3][64];
  fill();
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&stage[i][T], source + 64 * i + T, 4);
    __pipeline_commit();
  }
  for (int i = 0; i < 12; ++i) {
    if (i + 2 < 12) __pipeline_memcpy_async(&stage[(i + 2) % 3][T], source + 64 * (i + 2) + T, 4);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    sum += stage[i % 3][63 - T];
    __syncthreads();
  }
  int expected = 0;
  for (int i = 0; i < 12; ++i) expected += 7 * (64 * i + 63 - T) + 3;
  bool good = sum == expected;
  ok[T] = good;
}
