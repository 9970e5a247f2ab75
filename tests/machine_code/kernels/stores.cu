// Stores and reductions that an mbarrier counts, and the shared memory of other blocks.
#include "kernel.h"

__device__ unsigned at(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void init(u64* m, unsigned n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(m)), "r"(n) : "memory");
}
__device__ void expect(u64* m, unsigned n) {
  asm volatile("{.reg .b64 q; mbarrier.arrive.expect_tx.shared.b64 q, [%0], %1;}" ::"r"(at(m)),
               "r"(n)
               : "memory");
}
__device__ void wait(u64* m, unsigned parity) {
  for (unsigned done = 0; !done;)
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(at(m)), "r"(parity)
        : "memory");
}
// s_stores: threads 64 blocks 1 cluster 1
K s_stores(ARGS) {
  T;
  __shared__ u64 m;
  __shared__ ulonglong2 s[64];
  __shared__ unsigned w[64];
  __shared__ u64 d[64];
  if (t == 0) init(&m, 1), expect(&m, 64 * 28);
  __syncthreads();
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
          at(w + t)),
      "r"(a), "r"(at(&m))
      : "memory");
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
          at(d + t)),
      "l"((u64)a * b), "r"(at(&m))
      : "memory");
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1,%2,%3,%4}, "
      "[%5];" ::"r"(at(s + t)),
      "r"(a), "r"(b), "r"(t), "r"(7u), "r"(at(&m))
      : "memory");
  wait(&m, 0);
  o[0] = w[63 - t];
  *(u64*)(o + 2) = d[63 - t];
  *(ulonglong2*)(o + 4) = s[63 - t];
}
// s_reductions: threads 64 blocks 1 cluster 1
K s_reductions(ARGS) {
  T;
  __shared__ u64 m;
  __shared__ unsigned w[64 * 9];
  __shared__ u64 d[64];
  for (int k = 0; k < 9; ++k) w[t + 64 * k] = b;
  d[t] = a;
  if (t == 0) init(&m, 1), expect(&m, 64 * 44);
  __syncthreads();
#define R(n, op, type)                                                                      \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op \
               "." type " [%0], %1, [%2];" ::"r"(at(w + t + 64 * n)),                       \
               "r"(a), "r"(at(&m))                                                          \
               : "memory");
  R(0, "add", "u32")
  R(1, "min", "s32")
  R(2, "max", "s32") R(3, "min", "u32") R(4, "max", "u32") R(5, "inc", "u32") R(6, "dec", "u32")
      R(7, "and", "b32") R(8, "xor", "b32") asm volatile(
          "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], "
          "%1, [%2];" ::"r"(at(d + t)),
          "l"((u64)a << 20), "r"(at(&m))
          : "memory");
  wait(&m, 0);
  for (int k = 0; k < 9; ++k) o[k] = w[63 - t + 64 * k];
  *(u64*)(o + 10) = d[63 - t];
}
// s_remote: threads 64 blocks 4 cluster 2
K s_remote(ARGS) {
  T;
  __shared__ u64 m;
  __shared__ unsigned w[64];
  unsigned rank, to, bar;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0) init(&m, 1), expect(&m, 256);
  w[t] = 0;
  __syncthreads();
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at(w + t)), "r"(rank ^ 1));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(at(&m)), "r"(rank ^ 1));
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
      "r"(a), "r"(bar)
      : "memory");
  wait(&m, 0);
  o[0] = w[63 - t];
  unsigned v;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(to) : "memory");
  o[1] = v;
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(to), "r"(b) : "memory");
  o[2] = v;
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(b ^ v) : "memory");
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  o[3] = w[t];
  unsigned x, y, z;
  asm("mov.u32 %0, %%cluster_nctarank; mov.u32 %1, %%cluster_ctaid.x; mov.u32 %2, %%clusterid.x;"
      : "=r"(x), "=r"(y), "=r"(z));
  o[4] = x * 100 + y * 10 + z;
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(x));
  o[5] = x;
  asm("{.reg .u32 q; getctarank.shared::cluster.u32 q, %1; mov.u32 %0, q;}" : "=r"(x) : "r"(to));
  o[6] = x;
}
K s_bulk(ARGS) {
  T;
  __shared__ alignas(128) unsigned s[512];
  __shared__ u64 m;
  if (t == 0) init(&m, 1), expect(&m, 2048);
  __syncthreads();
  if (t == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, "
        "[%2];" ::"r"(at(s)),
        "l"(in), "r"(at(&m))
        : "memory");
  wait(&m, 0);
  s[t] += 1;
  s[t + 64] ^= a;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out + 8192),
                 "r"(at(s))
                 : "memory");
    asm volatile(
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group "
        "0;" ::
            : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(in));
  }
  o[0] = s[511 - t];
}
K s_completed(ARGS) {
  T;
  __shared__ u64 m;
  if (t == 0) init(&m, 1), expect(&m, 5 * 64);
  __syncthreads();
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(&m)), "r"(2)
               : "memory");
  unsigned early;
  asm volatile(
      "{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
      : "=r"(early)
      : "r"(at(&m))
      : "memory");
  __syncthreads();
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 3;" ::"r"(at(&m))
               : "memory");
  wait(&m, 0);
  o[0] = 7 + early;
}
