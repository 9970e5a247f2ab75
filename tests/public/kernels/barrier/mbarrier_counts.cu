// gpx: --entry mbarrier_counts --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void mbarrier_counts(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long barrier;
  const unsigned at = __cvta_generic_to_shared(&barrier);
  if (T == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(at) : "memory");
  __syncthreads();
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;" : "=l"(state) : "r"(at) : "memory");
  int over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(over) : "r"(at), "l"(state) : "memory");
  unsigned pending;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
  bool good = pending >= 2 && pending <= 128 && pending % 2 == 0;
  ok[T] = good;
}
