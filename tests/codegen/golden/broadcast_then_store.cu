typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(128)
load_broadcast_1B_x2_then_store_stride_4B_x4(u64* result, unsigned char* data, unsigned char* target, u64 never, u64 pitch1) {
  const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const u64 x0 = 0ull;
  const u64 a0 = (u64)data + x0;
  const u64 x1 = t * pitch1;
  const u32 w0 = (u32)t;
  const u64 a1 = (u64)target + x1;
  u64* const sink = result + 2;
  u64 start, end;
  u32 fold;
#line 3 "broadcast_then_store.gpx"
  asm volatile(
      "{\n"
      "  .reg .pred hit;\n"
      "  .reg .u32 order, v0, v1;\n"
      "  setp.eq.u64 hit, %6, %4;\n"
      "  @hit st.global.u64 [%3], %6;\n"
      "  @hit st.global.u32 [%3], %7;\n"
      "  @hit st.global.u64 [%3], %8;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %0, %%clock64;\n"
      "  ld.global.u8 v0, [%6+0];\n"
      "  ld.global.u8 v1, [%6+256];\n"
      "  st.global.u32 [%8+0], %7;\n"
      "  st.global.u32 [%8+4], %7;\n"
      "  st.global.u32 [%8+8], %7;\n"
      "  st.global.u32 [%8+12], %7;\n"
      "  mov.u32 order, %%clock;\n"
      "  add.u32 %2, order, v0;\n"
      "  add.u32 %2, %2, v1;\n"
      "  setp.eq.and.u32 hit, %2, %5, hit;\n"
      "  @!hit bar.sync 0;\n"
      "  mov.u64 %1, %%clock64;\n"
      "  sub.u32 %2, %2, order;\n"
      "}\n"
      : "=&l"(start), "=&l"(end), "=&r"(fold)
      : "l"(sink), "l"(never), "r"((u32)never), "l"(a0), "r"(w0), "l"(a1)
      : "memory");
#line 44 "load_broadcast_1B_x2_then_store_stride_4B_x4.cu"
  if (threadIdx.x % 32 == 0) atomicMax(result, end - start);
  atomicAdd(result + 1, (u64)fold);
}
