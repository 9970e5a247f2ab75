// gpx: --entry block_pipeline --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/pipeline>
#include <cooperative_groups.h>

__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void block_pipeline(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) int stage[2][64];
  fill();
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0, expected = 0;
  pipeline.producer_acquire();
  cuda::memcpy_async(block, stage[0], source, sizeof(stage[0]), pipeline);
  pipeline.producer_commit();
  for (int i = 1; i <= 4; ++i) {
    if (i < 4) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, stage[i % 2], source + 64 * i, sizeof(stage[0]), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += stage[(i - 1) % 2][63 - T];
    expected += 7 * (64 * (i - 1) + 63 - T) + 3;
    pipeline.consumer_release();
  }
  bool good = sum == expected;
  ok[T] = good;
}
