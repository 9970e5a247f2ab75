// gpx: --entry of_a_recursion --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ __forceinline__ int *taken(int count) {
  void *made;
  asm volatile("{ .reg .b64 q; alloca.u64 q, %1, 16; cvta.local.u64 %0, q; }" : "=l"(made) : "l"((long long)count * 4));
  return (int *)made;
}
__device__ __noinline__ int deep(int depth, int x) {
  int *const p = taken(depth + 4);
  p[depth] = x + depth;
  const int below = depth == 0 ? 0 : deep(depth - 1, x);
  return p[depth] + below;
}
extern "C" __global__ void of_a_recursion(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  right &= deep(t % 7, t) == (t % 7 + 1) * t + (t % 7) * (t % 7 + 1) / 2;
  ok[t] = right;
  if (!right) __trap();
}
