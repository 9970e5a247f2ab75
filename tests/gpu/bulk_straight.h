// Bulk copies one by one, in straight code: what tma.cu and bulk_state.cu time. Nothing of gpx.
#pragma once

#include "bulk_copy.h"

__device__ __forceinline__ void load_if(unsigned issues, unsigned to, const void* from,
                                        unsigned bytes, unsigned barrier) {
  asm volatile(
      "{\n.reg .pred issues;\nsetp.ne.u32 issues, %0, 0;\n"
      "@issues mbarrier.arrive.expect_tx.shared::cta.b64 _, [%4], %3;\n"
      "@issues cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, "
      "[%4];\n}" ::"r"(issues),
      "r"(to), "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void store(void* to, unsigned from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
}

extern __shared__ __align__(128) unsigned char memory[];

// Copies one by one in straight code whose bytes are known, so that addresses need few instructions
// (see bulk_code.cu): by one thread alone, the one that elect.sync names, or by all threads of a
// warp, of which that one issues and all wait, with the address in a register of each, as gpx has
// it. Of the grid the block on SM `sm` goes on.
template <bool is_load, bool by_warp, unsigned bytes, int copies>
__global__ void straight(std::uint64_t* out, unsigned char* data, int sm) {
  if (!chosen(sm, reinterpret_cast<unsigned*>(out + 1))) return;
  constexpr unsigned kApart = bytes < 256 ? 256 : bytes;
  __shared__ __align__(8) std::uint64_t barrier;
  const unsigned full = at(&barrier), own = at(memory);
  if (threadIdx.x == 0) begin_barrier(full);
  __syncthreads();
  const unsigned issues = is_elected();
  if (!by_warp && !issues) return;
  unsigned lane = 0, parity = 0;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (by_warp) data += (lane >> 5) * kApart;
#pragma unroll 1
  for (int pass = 0; pass < 3; ++pass) {
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      if (!is_load) {
        store(data + i * kApart, own, bytes);
        wait_group();
        continue;
      }
      if (by_warp) {
        load_if(issues, own, data + i * kApart, bytes, full);
      } else {
        expect(full, bytes);
        load(own, data + i * kApart, bytes, full);
      }
      wait_phase(full, parity);
      parity ^= 1;
    }
    if (issues) out[0] = clock64() - begin;
  }
}
