// gpx: --entry ldmatrix_and_mma --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <cuda_fp16.h>

__device__ void load(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((unsigned)__cvta_generic_to_shared(row)));
}

extern "C" __global__ void ldmatrix_and_mma(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __half a[16][16], b[8][16];
  for (int i = T; i < 256; i += 32) a[i / 16][i % 16] = __float2half(i % 7 - 3);
  for (int i = T; i < 128; i += 32) b[i / 16][i % 16] = __float2half(i % 5 - 2);
  __syncwarp();
  unsigned fa[4], fb[2];
  load(fa, &a[T % 16][T / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(fb[0]), "=r"(fb[1]) : "r"((unsigned)__cvta_generic_to_shared(&b[T % 8][T / 8 % 2 * 8])));
  float d[4] = {1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  bool good = true;
  for (int e = 0; e < 4; ++e) {
    const int row = T / 4 + 8 * (e / 2), column = T % 4 * 2 + e % 2;
    float sum = 1;
    for (int j = 0; j < 16; ++j) sum += __half2float(a[row][j]) * __half2float(b[column][j]);
    good &= d[e] == sum;
  }
  ok[T] = good;
}
