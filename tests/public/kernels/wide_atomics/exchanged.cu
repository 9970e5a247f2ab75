// gpx: --entry exchanged --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void exchanged(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  __shared__ ulonglong2 s;
  if (t == 0) s = {1000, ~1000ull};
  __syncthreads();
  unsigned long long low, high;
  asm volatile("{ .reg .b128 x, y; mov.b128 x, {%3, %4}; atom.shared.exch.b128 y, [%2], x; mov.b128 {%0, %1}, y; }"
               : "=l"(low), "=l"(high) : "r"((unsigned)__cvta_generic_to_shared(&s)), "l"(1ull * t), "l"(~(1ull * t)) : "memory");
  right &= high == ~low && low != t && (low < 64 || low == 1000);
  __syncthreads();
  right &= s.x < 64 && s.y == ~s.x;
  ok[t] = right;
  if (!right) __trap();
}
