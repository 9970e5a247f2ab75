// The PTX of a tiled matrix product as Hong and Kim 2009 print it (Figure 13, lines 3 to 17), with
// init code of our own: `m` and `n` are read one word beyond the start of a segment, which no
// half-warp coalesces. The print leaves out what changes %r21; here moves between registers, which
// cost nothing, let the loop run three times, as section 3.6 assumes. Names of registers carry a g: in
// an asm block they would hide those of the compiler.
//
// Covered by experiments/hk_counts.gpx.

extern "C" __global__ void figure13(const float* m, const float* n, float* p) {
  __shared__ float tile[256];
  const unsigned thread = threadIdx.x;
  asm volatile(
      "{\n"
      "  .reg .pred %%gp2;\n"
      "  .reg .b32 %%gr<32>;\n"
      "  .reg .f32 %%gf<8>;\n"
      "  .reg .b64 %%grd<32>;\n"
      "  mov.u64 %%grd23, %0;\n"
      "  mov.u64 %%grd19, %1;\n"
      "  mov.u64 %%grd27, %2;\n"
      "  cvt.u64.u32 %%grd14, %3;\n"
      "  mov.u64 %%grd15, %%grd14;\n"
      "  mov.u64 %%grd8, %%grd14;\n"
      "  mov.u64 %%grd6, %%grd14;\n"
      "  mov.u32 %%gr22, 0;\n"
      "  mov.u32 %%gr23, 0;\n"
      "  mov.u32 %%gr25, 9;\n"
      "  mov.u32 %%gr24, 1;\n"
      "  mov.f32 %%gf1, 0f00000000;\n"
      "$OUTERLOOP:\n"
      "  ld.global.f32 %%gf2, [%%grd23+0];\n"
      "  st.shared.f32 [%%grd14+0], %%gf2;\n"
      "  ld.global.f32 %%gf3, [%%grd19+0];\n"
      "  st.shared.f32 [%%grd15+0], %%gf3;\n"
      "  bar.sync 0;\n"
      "  ld.shared.f32 %%gf4, [%%grd8+0];\n"
      "  ld.shared.f32 %%gf5, [%%grd6+0];\n"
      "  mad.rn.f32 %%gf1, %%gf4, %%gf5, %%gf1;\n"
      "  bar.sync 0;\n"
      "  mov.u32 %%gr21, %%gr22;\n"
      "  mov.u32 %%gr22, %%gr23;\n"
      "  mov.u32 %%gr23, %%gr25;\n"
      "  setp.le.s32 %%gp2, %%gr21, %%gr24;\n"
      "  @%%gp2 bra $OUTERLOOP;\n"
      "  st.global.f32 [%%grd27+0], %%gf1;\n"
      "}\n" ::"l"(m + thread + 1),
      "l"(n + thread + 1), "l"(p + thread),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))));
}
