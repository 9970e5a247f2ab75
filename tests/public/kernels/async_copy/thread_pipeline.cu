// gpx: --entry thread_pipeline --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/pipeline>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void thread_pipeline(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int there[64];
  fill();
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&there[T], source + T, sizeof(int), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  bool good = there[T] == 7 * T + 3;
  pipeline.consumer_release();
  ok[T] = good;
}
