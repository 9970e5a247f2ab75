// A product of a warpgroup whose factor in registers has the other sign.
typedef unsigned long long u64;
// g_negated: threads 128 blocks 1
extern "C" __global__ void g_negated(unsigned* out, const unsigned* in) {
  __shared__ alignas(128) unsigned s[1024];
  const unsigned t = threadIdx.x, x = in[t] & 0x3f3f3f3f, y = in[t + 7] & 0x3f3f3f3f;
  for (int i = 0; i < 8; ++i) s[t + 128 * i] = in[t + 128 * i] & 0x3f3f3f3f;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const u64 at = (u64)__cvta_generic_to_shared(s) & 0x3ffff,
            B = at >> 4 | (u64)8 << 16 | (u64)16 << 32;
  float r[4] = {1, 2, 3, 4};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, {%4,%5,%4,%5}, %6,"
      " 1, -1, 1;"
      : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
      : "r"(x), "r"(y), "l"(B));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) ((float*)out)[t * 4 + i] = r[i];
}
