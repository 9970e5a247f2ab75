// gpx: --entry scaled_elements --grid 1 --block 32 --buffer ok=128B expect ok==1
#include <mma.h>
#include <cuda_fp16.h>

using namespace nvcuda;

extern "C" __global__ void scaled_elements(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __half a[16 * 24], b[16 * 24];
  __shared__ float d[16 * 20];
  for (int i = T; i < 16 * 24; i += 32) a[i] = b[i] = __float2half(i % 3);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(fa, a, 24);
  wmma::load_matrix_sync(fb, b, 24);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = __hmul(fa.x[i], __float2half(2));
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 0.5f;
  wmma::store_matrix_sync(d, sum, 20, wmma::mem_row_major);
  __syncwarp();
  bool good = true;
  for (int i = T; i < 256; i += 32) {
    float expected = 0.5f;
    for (int j = 0; j < 16; ++j) expected += __half2float(a[i / 16 * 24 + j]) * __half2float(b[i % 16 * 24 + j]);
    good &= d[i / 16 * 20 + i % 16] == expected;
  }
  ok[T] = good;
}
