// gpx: --entry tf32 --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void tf32(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(32) float a[128], b[128];
  __shared__ alignas(32) float c[256];
  __shared__ alignas(32) float d[256];
  for (int i = T; i < 128; i += 32) a[i] = (float)(i % 7 - 3);
  for (int i = T; i < 128; i += 32) b[i] = (float)(i % 5 - 2);
  for (int i = T; i < 256; i += 32) c[i] = (float)(i % 9);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fd;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
  __syncwarp();
  bool good = true;
  for (int i = T; i < 256; i += 32) {
    const int row = i / 16, column = i % 16;
    double sum = (double)c[row * 16 + column];
    for (int k = 0; k < 8; ++k) sum += (double)a[row * 8 + k] * (double)b[column * 8 + k];
    good &= fabs((double)d[row * 16 + column] - sum) <= 0;
  }
  ok[T] = good;
}
