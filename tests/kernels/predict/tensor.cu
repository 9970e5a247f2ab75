// Products by tensor cores.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// Four warps of a block, each 16 by 16 elements of c; a by rows, b by columns.
__global__ void gemm_fragments(float* c, const __half* a, const __half* b, int n) {
  const int warp = threadIdx.x / 32;
  const int row = (blockIdx.y * 2 + warp / 2) * 16, column = (blockIdx.x * 2 + warp % 2) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + column * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

// Nothing but products, two chains a warp.
__global__ void products(float* out, int rounds) {
  float c[2][4] = {};
  const unsigned a0 = threadIdx.x, b0 = threadIdx.x * 3;
  for (int k = 0; k < rounds; ++k)
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a0), "r"(a0 + 1), "r"(a0 + 2), "r"(a0 + 3), "r"(b0), "r"(b0 + 1));
  out[blockIdx.x * blockDim.x + threadIdx.x] = c[0][0] + c[1][3];
}
