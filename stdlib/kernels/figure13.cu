// The PTX of a tiled matrix product as Hong and Kim 2009 print it (Figure 13, lines 3 to 17), with
// init code of our own: `m` and `n` are read one word beyond the start of a segment, which no
// half-warp coalesces. The print leaves out what changes %r21; here moves between registers, which
// cost nothing, let the loop run three times, as section 3.6 assumes.
//
// Covered by experiments/hk_counts.gpx.

extern "C" __global__ void figure13(const float* m, const float* n, float* p) {
  __shared__ float tile[256];
  const unsigned thread = threadIdx.x;
  asm volatile(
      "{\n"
      "  .reg .pred %%p2;\n"
      "  .reg .b32 %%r<32>;\n"
      "  .reg .f32 %%f<8>;\n"
      "  .reg .b64 %%rd<32>;\n"
      "  mov.u64 %%rd23, %0;\n"
      "  mov.u64 %%rd19, %1;\n"
      "  mov.u64 %%rd27, %2;\n"
      "  cvt.u64.u32 %%rd14, %3;\n"
      "  mov.u64 %%rd15, %%rd14;\n"
      "  mov.u64 %%rd8, %%rd14;\n"
      "  mov.u64 %%rd6, %%rd14;\n"
      "  mov.u32 %%r22, 0;\n"
      "  mov.u32 %%r23, 0;\n"
      "  mov.u32 %%r25, 9;\n"
      "  mov.u32 %%r24, 1;\n"
      "  mov.f32 %%f1, 0f00000000;\n"
      "$OUTERLOOP:\n"
      "  ld.global.f32 %%f2, [%%rd23+0];\n"
      "  st.shared.f32 [%%rd14+0], %%f2;\n"
      "  ld.global.f32 %%f3, [%%rd19+0];\n"
      "  st.shared.f32 [%%rd15+0], %%f3;\n"
      "  bar.sync 0;\n"
      "  ld.shared.f32 %%f4, [%%rd8+0];\n"
      "  ld.shared.f32 %%f5, [%%rd6+0];\n"
      "  mad.rn.f32 %%f1, %%f4, %%f5, %%f1;\n"
      "  bar.sync 0;\n"
      "  mov.u32 %%r21, %%r22;\n"
      "  mov.u32 %%r22, %%r23;\n"
      "  mov.u32 %%r23, %%r25;\n"
      "  setp.le.s32 %%p2, %%r21, %%r24;\n"
      "  @%%p2 bra $OUTERLOOP;\n"
      "  st.global.f32 [%%rd27+0], %%f1;\n"
      "}\n" ::"l"(m + thread + 1),
      "l"(n + thread + 1), "l"(p + thread),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))));
}
