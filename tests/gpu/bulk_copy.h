// What the hand-written programs of bulk copies have in common: a barrier in shared memory, the
// thread that issues, the wait, and the clocks of a launch. Nothing of gpx is used here.
#pragma once

#include "measure.h"

__device__ __forceinline__ unsigned at(const void* own) {
  return static_cast<unsigned>(__cvta_generic_to_shared(own));
}
__device__ __forceinline__ void begin_barrier(unsigned barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ __forceinline__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void load(unsigned to, const void* from, unsigned bytes,
                                     unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void wait_phase(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void wait_group() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// Whether it is the thread of its warp that elect.sync names: the assembler knows that it is one.
__device__ __forceinline__ bool elected() {
  unsigned elected = 0;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(elected));
  return elected != 0;
}
// The same of warp 0.
__device__ __forceinline__ bool is_elected() {
  const bool named = elected();
  return threadIdx.x < 32 && named;
}

// The median of what launches write to out[0]; before each both words are 0.
template <typename Launch>
double clocks(std::uint64_t* out, Launch launch, int times = 21) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    CHECK(cudaMemset(out, 0, 16));
    launch();
    CHECK(cudaGetLastError());
    std::uint64_t taken = 0;
    CHECK(cudaMemcpy(&taken, out, 8, cudaMemcpyDeviceToHost));
    all.push_back(static_cast<double>(taken));
  }
  return median(all);
}
