// gpx: --entry expect_then_complete --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void expect_then_complete(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long barrier;
  const unsigned at = __cvta_generic_to_shared(&barrier);
  if (T == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  if (T == 0) asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  if (T == 0) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  int early = 0, over = 0;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(early) : "r"(at) : "memory");
  __syncthreads();
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(over) : "r"(at) : "memory");
  bool good = !early;
  ok[T] = good;
}
