// gpx: --entry given_back --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ __forceinline__ int *taken(int count) {
  void *made;
  asm volatile("{ .reg .b64 q; alloca.u64 q, %1, 16; cvta.local.u64 %0, q; }" : "=l"(made) : "l"((long long)count * 4));
  return (int *)made;
}
__device__ __noinline__ int used(int n) {
  int *const p = taken(n);
  for (int i = 0; i < n; ++i) p[i] = 1;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[n - 1 - i];
  return sum;
}
extern "C" __global__ void given_back(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  int sum = 0, expected = 0;
  for (int i = 0; i < 60; ++i) {
    sum += used(64 + (t + i) % 64);
    expected += 64 + (t + i) % 64;
  }
  right &= sum == expected;
  ok[t] = right;
  if (!right) __trap();
}
