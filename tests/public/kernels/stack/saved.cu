// gpx: --entry saved --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ __forceinline__ int *taken(int count) {
  void *made;
  asm volatile("{ .reg .b64 q; alloca.u64 q, %1, 16; cvta.local.u64 %0, q; }" : "=l"(made) : "l"((long long)count * 4));
  return (int *)made;
}
extern "C" __global__ void saved(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  int sum = 0;
  for (int i = 0; i < 60; ++i) {
    unsigned long long at;
    asm volatile("stacksave.u64 %0;" : "=l"(at));
    int *const p = taken(100 + t);
    p[99 + t] = i;
    sum += p[99 + t];
    asm volatile("stackrestore.u64 %0;" :: "l"(at));
  }
  right &= sum == 1770;
  ok[t] = right;
  if (!right) __trap();
}
