// Sparse matrices in several forms.
#include <cooperative_groups.h>

// Slices of 32 rows, each as wide as its longest row: a thread for a row, doubles.
__global__ void sliced_rows(double* y, const unsigned* slice, const unsigned* column,
                            const double* value, const double* x, int rows, unsigned mask) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int s = row / 32, lane = row % 32, width = 4 + slice[s] % 25;
  double sum = 0;
  for (int k = 0; k < width; ++k) {
    const size_t at = ((size_t)s * 28 + k) * 32 + lane;
    sum += value[at] * x[column[at] & mask];
  }
  y[row] = sum;
}

// Rows of a sparse matrix times 32 columns: a warp for a row, a lane for a column.
__global__ void rows_times_dense(float* c, const unsigned* begin, const unsigned* column,
                                 const float* value, const float* b, int rows, unsigned mask) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const unsigned last = begin[row + 1];
  float sum = 0;
  for (unsigned e = begin[row]; e < last; ++e)
    sum = fmaf(value[e], b[(size_t)(column[e] & mask) * 32 + lane], sum);
  c[(size_t)row * 32 + lane] = sum;
}

// Products of pairs of rows of 64, only where a sparse matrix has an entry: 16 lanes for each.
__global__ void sampled_products(float* out, const uint2* place, const float4* a, const float4* b,
                                 int n, unsigned mask) {
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int e = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (e >= n) return;
  const uint2 at = place[e];
  const float4 u = a[(size_t)(at.x & mask) * 16 + tile.thread_rank()],
               v = b[(size_t)(at.y & mask) * 16 + tile.thread_rank()];
  float sum = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  for (int s = 8; s > 0; s /= 2) sum += tile.shfl_xor(sum, s);
  if (tile.thread_rank() == 0) out[e] = sum;
}
