typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(128)
body_76f164054ce90b9a(u64* result, u64 never) {
  __shared__ u32 shared_words[1];
  const u32 words = (u32)__cvta_generic_to_shared(shared_words);
  const u32 x0 = 0u;
  const u32 x1 = threadIdx.x / 32;
  const u32 x2 = 1u;
  u64* const sink = result + 2;
  u64 start, end;
#line 1 "x.gpx"
  asm volatile(
      "{\n"
      "  .reg .pred hit;\n"
      "  .reg .u32 r0, r1;\n"
      "  .reg .pred p0, p1;\n"
      "  .reg .u64 kept;\n"
      "  setp.eq.u64 hit, %2, %3;\n"
      "  @hit st.global.u32 [%2], %5;\n"
      "  @hit st.global.u32 [%2], %6;\n"
      "  @hit st.global.u32 [%2], %7;\n"
      "  st.volatile.shared.u32 [%9+0], %5;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %0, %%clock64;\n"
      "  setp.eq.u32 p0, %6, %5;\n"
      "  @!p0 bra else0;\n"
      "  barrier.sync 0;\n"
      "  st.volatile.shared.u32 [%9+0], %7;\n"
      "  bra end0;\n"
      "else0:\n"
      "while1:\n"
      "  .pragma \"nounroll\";\n"
      "  ld.volatile.shared.u32 r0, [%9+0];\n"
      "  setp.eq.u32 p1, r0, %5;\n"
      "  @!p1 bra end1;\n"
      "  bra while1;\n"
      "end1:\n"
      "end0:\n"
      "  ld.volatile.shared.u32 r1, [%9+0];\n"
      "  cvt.u64.u32 kept, r1;\n"
      "  st.volatile.global.u64 [%8+24], kept;\n"
      "  bar.warp.sync 0xffffffff;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %1, %%clock64;\n"
      "}\n"
      : "=&l"(start), "=&l"(end)
      : "l"(sink), "l"(never), "r"((u32)never), "r"(x0), "r"(x1), "r"(x2), "l"(result), "r"(words)
      : "memory");
#line 52 "body_76f164054ce90b9a.cu"
  if (threadIdx.x % 32 == 0) atomicMax(result, end - start);
}
