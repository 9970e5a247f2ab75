typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(128)
average_chase_array_a_8B(u64* result, unsigned char* array_a, u64 never, u64 first0, u64 accesses0) {
  const u64 array_a_base = (u64)array_a;
  const u64 array_a_origin = 0;
  const u64 link0 = array_a_origin + first0;
  const u64 base0 = array_a_base;
  const u32 left0 = (u32)accesses0;
  u64* const sink = result + 2;
  u64 start, end;
  u32 fold;
#line 1 "x.gpx"
  asm volatile(
      "{\n"
      "  .reg .pred hit;\n"
      "  .reg .u32 v0;\n"
      "  .reg .pred chase0_more;\n"
      "  .reg .u32 chase0_left;\n"
      "  .reg .u64 chase0_link, chase0_first;\n"
      "  .reg .u64 chase0_place, chase0_base;\n"
      "  setp.eq.u64 hit, %6, %4;\n"
      "  @hit st.global.u64 [%3], %6;\n"
      "  @hit st.global.u64 [%3], %7;\n"
      "  @hit st.global.u32 [%3], %8;\n"
      "  mov.u64 chase0_base, %7;\n"
      "  mov.u64 chase0_link, %6;\n"
      "  mov.u32 chase0_left, %8;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %0, %%clock64;\n"
      "  setp.lt.u32 chase0_more, chase0_left, 16;\n"
      "  @chase0_more bra few0;\n"
      "many0:\n"
      "  .pragma \"nounroll\";\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  sub.u32 chase0_left, chase0_left, 16;\n"
      "  setp.ge.u32 chase0_more, chase0_left, 16;\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  @chase0_more bra many0;\n"
      "few0:\n"
      "  setp.lt.u32 chase0_more, chase0_left, 1;\n"
      "  @chase0_more bra chased0;\n"
      "one0:\n"
      "  .pragma \"nounroll\";\n"
      "  add.u64 chase0_place, chase0_link, chase0_base;\n"
      "  ld.global.u64 chase0_link, [chase0_place];\n"
      "  sub.u32 chase0_left, chase0_left, 1;\n"
      "  setp.ge.u32 chase0_more, chase0_left, 1;\n"
      "  @chase0_more bra one0;\n"
      "chased0:\n"
      "  cvt.u32.u64 v0, chase0_link;\n"
      "  mov.u32 %2, v0;\n"
      "  setp.eq.and.u32 hit, %2, %5, hit;\n"
      "  @!hit bar.sync 0;\n"
      "  mov.u64 %1, %%clock64;\n"
      "}\n"
      : "=&l"(start), "=&l"(end), "=&r"(fold)
      : "l"(sink), "l"(never), "r"((u32)never), "l"(link0), "l"(base0), "r"(left0)
      : "memory");
#line 92 "average_chase_array_a_8B.cu"
  if (threadIdx.x % 32 == 0) atomicMax(result, end - start);
  atomicAdd(result + 1, (u64)fold);
}
