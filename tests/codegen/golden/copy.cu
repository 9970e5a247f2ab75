typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(256)
time_copy_unique_8B_x1(u64* result, unsigned char* data, unsigned char* target, u64 never, u64 pitch) {
  const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const u64 x0 = t * pitch;
  const u64 a0 = (u64)data + x0;
  const u64 a1 = (u64)target + x0;
  u64* const sink = result + 1;
  u32 fold;
#line 6 "copy.gpx"
  asm volatile(
      "{\n"
      "  .reg .pred hit;\n"
      "  .reg .u32 order, v0_0, v0_1;\n"
      "  setp.eq.u64 hit, %4, %2;\n"
      "  @hit st.global.u64 [%1], %4;\n"
      "  @hit st.global.u64 [%1], %5;\n"
      "  ld.global.v2.u32 {v0_0, v0_1}, [%4+0];\n"
      "  st.global.v2.u32 [%5+0], {v0_0, v0_1};\n"
      "  mov.u32 order, %%clock;\n"
      "  add.u32 %0, order, v0_0;\n"
      "  add.u32 %0, %0, v0_1;\n"
      "  setp.eq.u32 hit, %0, %3;\n"
      "  @hit st.global.u32 [%1], %0;\n"
      "  sub.u32 %0, %0, order;\n"
      "}\n"
      : "=&r"(fold)
      : "l"(sink), "l"(never), "r"((u32)never), "l"(a0), "l"(a1)
      : "memory");
#line 33 "time_copy_unique_8B_x1.cu"
  if (threadIdx.x == 0)
    atomicAdd(result + 0, (u64)fold);
}
