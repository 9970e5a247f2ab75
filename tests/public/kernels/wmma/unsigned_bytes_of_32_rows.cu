// gpx: --entry unsigned_bytes_of_32_rows --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void unsigned_bytes_of_32_rows(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(32) unsigned char a[512], b[128];
  __shared__ alignas(32) int c[256];
  __shared__ alignas(32) int d[256];
  for (int i = T; i < 512; i += 32) a[i] = (unsigned char)((i % 7 - 3) & 7);
  for (int i = T; i < 128; i += 32) b[i] = (unsigned char)((i % 5 - 2) & 7);
  for (int i = T; i < 256; i += 32) c[i] = (int)(i % 9);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 32, 8, 16, unsigned char, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, unsigned char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fd;
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
  __syncwarp();
  bool good = true;
  for (int i = T; i < 256; i += 32) {
    const int row = i / 8, column = i % 8;
    double sum = (double)c[row * 8 + column];
    for (int k = 0; k < 16; ++k) sum += (double)a[k * 32 + row] * (double)b[column * 16 + k];
    good &= fabs((double)d[row * 8 + column] - sum) <= 0;
  }
  ok[T] = good;
}
