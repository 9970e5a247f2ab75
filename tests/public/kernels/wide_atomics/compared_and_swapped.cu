// gpx: --entry compared_and_swapped --grid 1 --block 64 --buffer ok=256B expect ok==1
struct alignas(16) Pair {
  unsigned long long low, high;
  __device__ bool operator==(const Pair &o) const { return low == o.low && high == o.high; }
};
__device__ Pair counter;
__device__ Pair load(const Pair *p) {
  Pair made;
  asm volatile("{ .reg .b128 x; ld.global.b128 x, [%2]; mov.b128 {%0, %1}, x; }"
               : "=l"(made.low), "=l"(made.high) : "l"(p) : "memory");
  return made;
}
__device__ Pair swap(Pair *p, Pair from, Pair to) {
  Pair old;
  asm volatile("{ .reg .b128 x, y, z; mov.b128 x, {%3, %4}; mov.b128 y, {%5, %6}; atom.global.cas.b128 z, [%2], x, y; mov.b128 {%0, %1}, z; }"
               : "=l"(old.low), "=l"(old.high) : "l"(p), "l"(from.low), "l"(from.high), "l"(to.low), "l"(to.high) : "memory");
  return old;
}
extern "C" __global__ void compared_and_swapped(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  if (t == 0) counter = {0, 0};
  __syncthreads();
  for (bool done = false; !done;) {
    const Pair old = load(&counter);
    const Pair seen = swap(&counter, old, {old.low + 1, old.high + t});
    done = seen == old;
  }
  __syncthreads();
  const Pair end = load(&counter);
  right &= end.low == 64 && end.high == 2016;
  ok[t] = right;
  if (!right) __trap();
}
