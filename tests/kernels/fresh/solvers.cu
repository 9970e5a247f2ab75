// Pieces of linear solvers.

// A step of conjugate gradients: two vectors updated, the residual's square summed in doubles.
__global__ void step_and_norm(double* norm, double* x, double* r, const double* p, const double* q,
                              int n, double alpha) {
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    const double v = r[i] - alpha * q[i];
    r[i] = v;
    sum += v * v;
  }
  __shared__ double part[32];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += part[w];
    atomicAdd(norm, sum);
  }
}

// Tridiagonal systems of 32 rows, a warp each: five rounds of parallel cyclic reduction.
__global__ void reduce_in_warp(float* x, const float* lower, const float* upper, const float* right,
                               int systems) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i / 32 >= systems) return;
  float a = lane > 0 ? lower[i] : 0, c = lane < 31 ? upper[i] : 0, b = 4, d = right[i];
#pragma unroll
  for (int s = 1; s < 32; s *= 2) {
    const float ap = __shfl_up_sync(~0u, a, s), bp = __shfl_up_sync(~0u, b, s),
                cp = __shfl_up_sync(~0u, c, s), dp = __shfl_up_sync(~0u, d, s);
    const float an = __shfl_down_sync(~0u, a, s), bn = __shfl_down_sync(~0u, b, s),
                cn = __shfl_down_sync(~0u, c, s), dn = __shfl_down_sync(~0u, d, s);
    const float k = lane >= s ? a / bp : 0, m = lane + s < 32 ? c / bn : 0;
    b -= k * cp + m * an, d -= k * dp + m * dn;
    a = -k * ap, c = -m * cn;
  }
  x[i] = d / b;
}
