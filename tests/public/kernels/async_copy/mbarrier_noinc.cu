// gpx: --entry mbarrier_noinc --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ int source[1024];
__device__ void fill() {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) source[i] = 7 * i + 3;
  __threadfence();
  __syncthreads();
}

extern "C" __global__ void mbarrier_noinc(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long barrier;
  __shared__ int there[64];
  const unsigned at = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
  fill();
  const unsigned to = __cvta_generic_to_shared(&there[T]);
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" ::"r"(to), "l"(source + T) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  int over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at) : "memory");
  bool good = there[63 - T] == 7 * (63 - T) + 3;
  ok[T] = good;
}
