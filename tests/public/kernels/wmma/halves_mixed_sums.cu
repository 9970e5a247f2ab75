// gpx: --entry halves_mixed_sums --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <mma.h>
#include <cuda_fp16.h>

using namespace nvcuda;

extern "C" __global__ void halves_mixed_sums(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(32) __half a[256], b[256];
  __shared__ alignas(32) float c[256];
  __shared__ alignas(32) __half d[256];
  for (int i = T; i < 256; i += 32) a[i] = __float2half(i % 7 - 3);
  for (int i = T; i < 256; i += 32) b[i] = __float2half(i % 5 - 2);
  for (int i = T; i < 256; i += 32) c[i] = (float)(i % 9);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> fd;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
  __syncwarp();
  bool good = true;
  for (int i = T; i < 256; i += 32) {
    const int row = i / 16, column = i % 16;
    double sum = (double)c[row * 16 + column];
    for (int k = 0; k < 16; ++k) sum += (double)a[row * 16 + k] * (double)b[k * 16 + column];
    good &= fabs((double)d[row * 16 + column] - sum) <= 0;
  }
  ok[T] = good;
}
