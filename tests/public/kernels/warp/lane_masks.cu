// gpx: --entry lane_masks --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void lane_masks(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = T % 32;
  unsigned eq, lt, le, gt, ge;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  bool good = eq == 1u << lane && lt == eq - 1 && le == (lt | eq) && gt == ~le && ge == ~lt;
  ok[T] = good;
}
