// gpx: --entry floats --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/atomic>

extern "C" __global__ void floats(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float value;
  if (T == 0) value = 0;
  __syncthreads();
  cuda::atomic_ref<float, cuda::thread_scope_block>(value).fetch_add((float)0.5);
  __syncthreads();
  bool good = value == (float)32;
  ok[T] = good;
}
