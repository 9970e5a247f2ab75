// gpx: --entry wait_all --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void wait_all(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int there[2][64];
  fill();
  for (int i = 0; i < 2; ++i) {
    const unsigned to = __cvta_generic_to_shared(&there[i][T]);
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 4;" ::"r"(to), "l"(source + 64 * i + T) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  bool good = there[0][63 - T] == 7 * (63 - T) + 3 && there[1][63 - T] == 7 * (127 - T) + 3;
  ok[T] = good;
}
