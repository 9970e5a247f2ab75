// gpx: --entry doubles --grid 1 --block 64 --buffer ok=256B expect ok==1
#include <cuda/atomic>

extern "C" __global__ void doubles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double value;
  if (T == 0) value = 0;
  __syncthreads();
  cuda::atomic_ref<double, cuda::thread_scope_block>(value).fetch_add((double)0.5);
  __syncthreads();
  bool good = value == (double)32;
  ok[T] = good;
}
