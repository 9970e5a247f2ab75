// gpx: --entry stored --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void stored(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  __shared__ alignas(16) unsigned long long s[128];
  asm volatile("{ .reg .b128 x, y; mov.b128 x, {%1, %2}; mov.b128 y, x; st.shared.b128 [%0], y; }"
               :: "r"((unsigned)__cvta_generic_to_shared(&s[2 * t])), "l"(3ull * t), "l"(5ull * t) : "memory");
  __syncthreads();
  right &= s[2 * (63 - t)] == 3ull * (63 - t) && s[2 * (63 - t) + 1] == 5ull * (63 - t);
  ok[t] = right;
  if (!right) __trap();
}
