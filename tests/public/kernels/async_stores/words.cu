// gpx: --entry words --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void begin(unsigned long long *bar, unsigned bytes) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(address(bar)) : "memory");
    asm volatile("{ .reg .b64 q; mbarrier.arrive.expect_tx.shared.b64 q, [%0], %1; }" :: "r"(address(bar)), "r"(bytes) : "memory");
  }
  __syncthreads();
}
__device__ void wait(unsigned long long *bar) {
  for (unsigned done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(address(bar)) : "memory");
}
extern "C" __global__ void __cluster_dims__(1, 1, 1) words(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  __shared__ alignas(8) unsigned long long bar;
  __shared__ int s[64];
  begin(&bar, 256);
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
               :: "r"(address(&s[t])), "r"(t * 3), "r"(address(&bar)) : "memory");
  wait(&bar);
  right &= s[63 - t] == 3 * (63 - t);
  ok[t] = right;
  if (!right) __trap();
}
