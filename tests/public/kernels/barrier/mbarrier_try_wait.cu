// gpx: --entry mbarrier_try_wait --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void mbarrier_try_wait(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long barrier;
  const unsigned at = __cvta_generic_to_shared(&barrier);
  if (T == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  __shared__ int there[64];
  there[T] = T * 3;
  asm volatile("{ .reg .b64 s; mbarrier.arrive.release.cta.shared::cta.b64 s, [%0]; }" ::"r"(at) : "memory");
  int over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2, %3; selp.s32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at), "r"(0), "r"(1000) : "memory");
  bool good = there[63 - T] == 3 * (63 - T);
  ok[T] = good;
}
