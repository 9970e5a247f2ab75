// gpx: --entry with_a_policy --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned value;

extern "C" __global__ void with_a_policy(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("red.global.add.L2::cache_hint.u32 [%0], 1, %1;" ::"l"(&value), "l"(policy) : "memory");
  __threadfence();
  __syncthreads();
  bool good = *(volatile unsigned*)&value == 64;
  ok[T] = good;
}
