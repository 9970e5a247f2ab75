// gpx: --entry reduced --grid 1 --block 64 --buffer ok=256B expect ok==1
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
extern "C" __global__ void __cluster_dims__(1, 1, 1) reduced(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  __shared__ alignas(8) unsigned long long bar;
  __shared__ unsigned s[7];
  __shared__ unsigned long long sum;
  if (t == 0) {
    sum = 1ull << 40;
    s[0] = 5u;
    s[1] = 5u;
    s[2] = 5u;
    s[3] = 0u;
    s[4] = 0u;
    s[5] = 0u;
    s[6] = 4294967295u;
  }
  begin(&bar, 64 * 36);
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
               :: "r"(address(&s[0])), "r"(t), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0], %1, [%2];"
               :: "r"(address(&s[1])), "r"(t - 9), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];"
               :: "r"(address(&s[2])), "r"(t), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%0], %1, [%2];"
               :: "r"(address(&s[3])), "r"(9), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%0], %1, [%2];"
               :: "r"(address(&s[4])), "r"(1u << t % 32), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%0], %1, [%2];"
               :: "r"(address(&s[5])), "r"(t), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [%0], %1, [%2];"
               :: "r"(address(&s[6])), "r"(~(t & 7)), "r"(address(&bar)) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
               :: "r"(address(&sum)), "l"(1ull << 33), "r"(address(&bar)) : "memory");
  wait(&bar);
  unsigned counted = 0;
  for (int k = 0; k < 64; ++k) counted = counted >= 9 ? 0 : counted + 1;
  right &= s[0] == (unsigned)(2021) && s[1] == (unsigned)(-9) && s[2] == (unsigned)(63) && s[3] == counted && s[4] == (unsigned)(4294967295u) && s[5] == (unsigned)(0) && s[6] == (unsigned)(4294967288u) && sum == (1ull << 40) + (64ull << 33);
  ok[t] = right;
  if (!right) __trap();
}
