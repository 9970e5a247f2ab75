typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(128)
load_random_16B_x2(u64* result, unsigned char* data, u64 never, u64 words, u64 seed) {
  const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const u64 x0 = 16ull;
  const u64 x1 = 11400714819323198485ull;
  const u64 x2 = 13787848793156543929ull;
  const u64 x3 = 10723151780598845931ull;
  const u64 x4 = seed * x3;
  const u64 x5 = t * x1;
  const u64 x6 = x5 + x4;
  const u64 x7 = 0ull;
  const u64 x8 = x6 ^ x7;
  const u64 x9 = x8 >> 30;
  const u64 x10 = x8 ^ x9;
  const u64 x11 = x10 * x2;
  const u64 x12 = x11 >> 27;
  const u64 x13 = x11 ^ x12;
  const u64 x14 = x13 * x3;
  const u64 x15 = x14 >> 31;
  const u64 x16 = x14 ^ x15;
  const u64 x17 = __umul64hi(x16, words);
  const u64 x18 = x17 * x0;
  const u64 x19 = 1099511627776ull;
  const u64 x20 = x6 ^ x19;
  const u64 x21 = x20 >> 30;
  const u64 x22 = x20 ^ x21;
  const u64 x23 = x22 * x2;
  const u64 x24 = x23 >> 27;
  const u64 x25 = x23 ^ x24;
  const u64 x26 = x25 * x3;
  const u64 x27 = x26 >> 31;
  const u64 x28 = x26 ^ x27;
  const u64 x29 = __umul64hi(x28, words);
  const u64 x30 = x29 * x0;
  const u64 a0 = (u64)data + x18;
  const u64 a1 = (u64)data + x30;
  u64* const sink = result + 2;
  u64 start, end;
  u32 fold;
#line 3 "random_wide.gpx"
  asm volatile(
      "{\n"
      "  .reg .pred hit;\n"
      "  .reg .u32 v0_0, v0_1, v0_2, v0_3, v1_0, v1_1, v1_2, v1_3;\n"
      "  setp.eq.u64 hit, %6, %4;\n"
      "  @hit st.global.u64 [%3], %6;\n"
      "  @hit st.global.u64 [%3], %7;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %0, %%clock64;\n"
      "  ld.global.v4.u32 {v0_0, v0_1, v0_2, v0_3}, [%6+0];\n"
      "  ld.global.v4.u32 {v1_0, v1_1, v1_2, v1_3}, [%7+0];\n"
      "  mov.u32 %2, v0_0;\n"
      "  add.u32 %2, %2, v0_1;\n"
      "  add.u32 %2, %2, v0_2;\n"
      "  add.u32 %2, %2, v0_3;\n"
      "  add.u32 %2, %2, v1_0;\n"
      "  add.u32 %2, %2, v1_1;\n"
      "  add.u32 %2, %2, v1_2;\n"
      "  add.u32 %2, %2, v1_3;\n"
      "  setp.eq.and.u32 hit, %2, %5, hit;\n"
      "  @!hit bar.sync 0;\n"
      "  mov.u64 %1, %%clock64;\n"
      "}\n"
      : "=&l"(start), "=&l"(end), "=&r"(fold)
      : "l"(sink), "l"(never), "r"((u32)never), "l"(a0), "l"(a1)
      : "memory");
#line 71 "load_random_16B_x2.cu"
  if (threadIdx.x % 32 == 0) atomicMax(result, end - start);
  atomicAdd(result + 1, (u64)fold);
}
