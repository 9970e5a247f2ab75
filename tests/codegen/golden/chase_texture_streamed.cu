typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(128)
each_chase_array_a_4B(u64* result, u64 array_a, u64 never, u64 first0, u64 accesses0) {
  const u64 array_a_base = (u64)array_a;
  const u64 array_a_origin = 0;
  __shared__ u32 each_index[1];
  const u32 indices = (u32)__cvta_generic_to_shared(each_index);
  u64* const rows = result + 2;
  const u64 link0 = array_a_origin + first0;
  const u64 base0 = array_a_base;
  const u32 left0 = (u32)accesses0;
  u64* const sink = result + 1;
  u64 start, end;
  u32 fold;
#line 1 "x.gpx"
  asm volatile(
      "{\n"
      "  .reg .pred hit;\n"
      "  .reg .u32 v0;\n"
      "  .reg .pred chase0_more;\n"
      "  .reg .u32 chase0_left;\n"
      "  .reg .u32 chase0_link, chase0_first;\n"
      "  .reg .u64 chase0_place, chase0_base;\n"
      "  .reg .u32 chase0_texel, chase0_y, chase0_z, chase0_w;\n"
      "  .reg .u32 chase0_from, chase0_to, chase0_row;\n"
      "  .reg .u64 chase0_wide, chase0_out;\n"
      "  setp.eq.u64 hit, %6, %4;\n"
      "  @hit st.global.u64 [%3], %6;\n"
      "  @hit st.global.u64 [%3], %7;\n"
      "  @hit st.global.u32 [%3], %8;\n"
      "  mov.u64 chase0_base, %7;\n"
      "  cvt.u32.u64 chase0_link, %6;\n"
      "  mov.u32 chase0_left, %8;\n"
      "  mov.u32 chase0_row, 0;\n"
      "  mov.u64 chase0_out, %10;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %0, %%clock64;\n"
      "  setp.eq.u32 chase0_more, chase0_left, 0;\n"
      "  @chase0_more bra chased0;\n"
      "each0:\n"
      "  .pragma \"nounroll\";\n"
      "  mov.u32 chase0_first, chase0_link;\n"
      "  mul.wide.u32 chase0_wide, chase0_row, 4;\n"
      "  cvt.u32.u64 chase0_to, chase0_wide;\n"
      "  add.u32 chase0_to, chase0_to, %9;\n"
      "  cvt.u64.u32 chase0_wide, chase0_to;\n"
      "  mov.u32 chase0_from, %%clock;\n"
      "  shr.u32 chase0_texel, chase0_link, 2;\n"
      "  tex.1d.v4.u32.s32 {chase0_link, chase0_y, chase0_z, chase0_w}, [chase0_base, {chase0_texel}];\n"
      "  st.volatile.shared.u32 [chase0_wide], chase0_link;\n"
      "  mov.u32 chase0_to, %%clock;\n"
      "  sub.u32 chase0_to, chase0_to, chase0_from;\n"
      "  cvt.u64.u32 chase0_wide, chase0_to;\n"
      "  st.global.u64 [chase0_out], chase0_wide;\n"
      "  cvt.u64.u32 chase0_wide, chase0_first;\n"
      "  st.global.u64 [chase0_out+8], chase0_wide;\n"
      "  add.u64 chase0_out, chase0_out, 16;\n"
      "  sub.u32 chase0_left, chase0_left, 1;\n"
      "  setp.ne.u32 chase0_more, chase0_left, 0;\n"
      "  @chase0_more bra each0;\n"
      "chased0:\n"
      "  mov.u32 v0, chase0_link;\n"
      "  mov.u32 %2, v0;\n"
      "  setp.eq.and.u32 hit, %2, %5, hit;\n"
      "  @!hit bar.sync 0;\n"
      "  mov.u64 %1, %%clock64;\n"
      "}\n"
      : "=&l"(start), "=&l"(end), "=&r"(fold)
      : "l"(sink), "l"(never), "r"((u32)never), "l"(link0), "l"(base0), "r"(left0), "r"(indices), "l"(rows)
      : "memory");
#line 74 "each_chase_array_a_4B.cu"
  atomicAdd(result + 0, (u64)fold);
}
