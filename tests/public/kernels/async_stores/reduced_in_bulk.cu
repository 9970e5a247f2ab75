// gpx: --entry reduced_in_bulk --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ alignas(16) int sums[64];
__device__ alignas(16) unsigned long long most[64];
__device__ alignas(16) float halves[64];
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void reduced_in_bulk(int *ok) {
  const int t = threadIdx.x;
  __shared__ alignas(16) int a[64];
  __shared__ alignas(16) unsigned long long b[64];
  __shared__ alignas(16) float f[64];
  sums[t] = 1000 * t;
  most[t] = 20;
  halves[t] = 0.25f;
  a[t] = -t;
  b[t] = t;
  f[t] = 0.5f * t;
  __threadfence();
  __syncthreads();
  if (t == 0) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int k = 0; k < 2; ++k)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" :: "l"(sums), "r"(address(a)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [%0], [%1], 512;" :: "l"(most), "r"(address(b)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" :: "l"(halves), "r"(address(f)) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
  __syncthreads();
  const bool right = *(volatile int *)&sums[t] == 998 * t && *(volatile unsigned long long *)&most[t] == (t > 20 ? t : 20) &&
                     *(volatile float *)&halves[t] == 0.25f + 0.5f * t;
  ok[t] = right;
  if (!right) __trap();
}
