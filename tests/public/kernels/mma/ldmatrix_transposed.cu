// gpx: --entry ldmatrix_transposed --grid 1 --block 32 --buffer ok=128B expect ok==1
extern "C" __global__ void ldmatrix_transposed(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned short m[32][8];
  for (int i = 0; i < 8; ++i) m[T][i] = 8 * T + i;
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((unsigned)__cvta_generic_to_shared(m[T])));
  bool good = true;
  for (int i = 0; i < 4; ++i)
    for (int e = 0; e < 2; ++e) {
      const int row = T / 4, column = T % 4 * 2 + e;
      good &= (r[i] >> (16 * e) & 0xffff) == m[8 * i + column][row];
    }
  ok[T] = good;
}
