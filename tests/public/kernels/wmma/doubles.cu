// gpx: --entry doubles --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void doubles(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(32) double a[32], b[32];
  __shared__ alignas(32) double c[64];
  __shared__ alignas(32) double d[64];
  for (int i = T; i < 32; i += 32) a[i] = (double)(i % 7 - 3);
  for (int i = T; i < 32; i += 32) b[i] = (double)(i % 5 - 2);
  for (int i = T; i < 64; i += 32) c[i] = (double)(i % 9);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fd;
  wmma::load_matrix_sync(fa, a, 4);
  wmma::load_matrix_sync(fb, b, 4);
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_col_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_col_major);
  __syncwarp();
  bool good = true;
  for (int i = T; i < 64; i += 32) {
    const int row = i / 8, column = i % 8;
    double sum = (double)c[column * 8 + row];
    for (int k = 0; k < 4; ++k) sum += (double)a[row * 4 + k] * (double)b[column * 4 + k];
    good &= fabs((double)d[column * 8 + row] - sum) <= 0;
  }
  ok[T] = good;
}
