// gpx: --entry vectors --grid 1 --block 64 --buffer ok=256B expect ok==1
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
extern "C" __global__ void __cluster_dims__(1, 1, 1) vectors(int *ok) {
  const int t = threadIdx.x;
  bool right = true;
  __shared__ alignas(8) unsigned long long bar;
  __shared__ float4 s[64];
  __shared__ ulonglong2 w[64];
  begin(&bar, 2048);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
               :: "r"(address(&s[t])), "f"(1.0f * t), "f"(2.0f * t), "f"(3.0f * t), "f"(4.0f * t), "r"(address(&bar)) : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];"
               :: "r"(address(&w[t])), "l"(7ull * t), "l"(9ull * t), "r"(address(&bar)) : "memory");
  wait(&bar);
  const int o = 63 - t;
  right &= s[o].x == o && s[o].w == 4.0f * o && w[o].x == 7ull * o && w[o].y == 9ull * o;
  ok[t] = right;
  if (!right) __trap();
}
