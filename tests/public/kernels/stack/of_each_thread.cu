// gpx: --entry of_each_thread --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ __forceinline__ int *taken(int count) {
  void *made;
  asm volatile("{ .reg .b64 q; alloca.u64 q, %1, 16; cvta.local.u64 %0, q; }" : "=l"(made) : "l"((long long)count * 4));
  return (int *)made;
}
extern "C" __global__ void of_each_thread(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  const int n = t + 1;
  int *const p = taken(n), *const q = taken(3);
  for (int i = 0; i < n; ++i) p[i] = i * t;
  for (int i = 0; i < 3; ++i) q[i] = -i;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  right &= sum == t * n * (n - 1) / 2 && q[2] == -2 && (unsigned long long)p % 16 == 0;
  ok[t] = right;
  if (!right) __trap();
}
