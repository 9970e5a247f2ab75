// Panels of matrices.

// Factors of a matrix of doubles in shared memory, without exchanges of rows: a block a matrix.
__global__ void factor_panel(double* data, int n) {
  extern __shared__ double m[];
  const int t = threadIdx.x, stride = n + 1;
  double* mine = data + (size_t)blockIdx.x * n * n;
  for (int i = t; i < n * n; i += blockDim.x)
    m[i / n * stride + i % n] = mine[i] + (i / n == i % n ? 2.0 * n : 0.0);
  for (int k = 0; k < n - 1; ++k) {
    __syncthreads();
    const double inverse = 1 / m[k * stride + k];
    for (int r = k + 1 + t; r < n; r += blockDim.x) m[r * stride + k] *= inverse;
    __syncthreads();
    const int left = n - k - 1;
    for (int i = t; i < left * left; i += blockDim.x) {
      const int r = k + 1 + i / left, c = k + 1 + i % left;
      m[r * stride + c] -= m[r * stride + k] * m[k * stride + c];
    }
  }
  __syncthreads();
  for (int i = t; i < n * n; i += blockDim.x) mine[i] = 0.001 * m[i / n * stride + i % n];
}

// A reflection of each column of a matrix by columns: a block a column, the vector read by all.
__global__ void reflect_columns(float* a, const float* v, float tau, int rows) {
  __shared__ float part[32];
  float* mine = a + (size_t)blockIdx.x * rows;
  float sum = 0;
  for (int r = threadIdx.x; r < rows; r += blockDim.x) sum = fmaf(mine[r], v[r], sum);
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += part[w];
  for (int r = threadIdx.x; r < rows; r += blockDim.x) mine[r] -= tau * sum * v[r];
}

// Triangles of 32 rows solved for many columns, a column a thread, all of it in registers.
__global__ void solve_triangle(float* x, const float* lower, int columns) {
  __shared__ float l[32][32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) l[i / 32][i % 32] = lower[i];
  __syncthreads();
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float v[32];
#pragma unroll
  for (int r = 0; r < 32; ++r) {
    float sum = x[(size_t)r * columns + c];
#pragma unroll
    for (int k = 0; k < r; ++k) sum -= l[r][k] * v[k];
    v[r] = __fdividef(sum, 1.0f + l[r][r]);
  }
#pragma unroll
  for (int r = 0; r < 32; ++r) x[(size_t)r * columns + c] = v[r];
}
