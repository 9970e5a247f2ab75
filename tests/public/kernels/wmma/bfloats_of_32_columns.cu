// gpx: --entry bfloats_of_32_columns --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <mma.h>
#include <cuda_bf16.h>

using namespace nvcuda;

extern "C" __global__ void bfloats_of_32_columns(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ alignas(32) __nv_bfloat16 a[128], b[512];
  __shared__ alignas(32) float c[256];
  __shared__ alignas(32) float d[256];
  for (int i = T; i < 128; i += 32) a[i] = __float2bfloat16(i % 7 - 3);
  for (int i = T; i < 512; i += 32) b[i] = __float2bfloat16(i % 5 - 2);
  for (int i = T; i < 256; i += 32) c[i] = (float)(i % 9);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __nv_bfloat16, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> fc;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> fd;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::load_matrix_sync(fc, c, 32, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, 32, wmma::mem_row_major);
  __syncwarp();
  bool good = true;
  for (int i = T; i < 256; i += 32) {
    const int row = i / 32, column = i % 32;
    double sum = (double)c[row * 32 + column];
    for (int k = 0; k < 16; ++k) sum += (double)a[k * 8 + row] * (double)b[k * 32 + column];
    good &= fabs((double)d[row * 32 + column] - sum) <= 0;
  }
  ok[T] = good;
}
