// gpx: --entry bfloats --grid 1 --block 32 --buffer ok=128B expect ok==1
extern "C" __global__ void bfloats(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  float d[4] = {0, 0, 0, 0};
  unsigned fa[4], fb[2];
  for (int r = 0; r < 4; ++r) fa[r] = 0x3f803f80;
  for (int r = 0; r < 2; ++r) fb[r] = 0x40004000;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  bool good = d[0] == 32 && d[1] == 32 && d[2] == 32 && d[3] == 32;
  ok[T] = good;
}
