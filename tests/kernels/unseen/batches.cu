// Many small problems of linear algebra at a time.

// Products of 4 x 4: four threads for a product, a row each.
__global__ void chain_fours(float4* out, const float4* a, const float4* b, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * 4) return;
  const float4 r = a[i];
  const float4* m = b + (i / 4) * 4;
  const float4 p = m[0], q = m[1], s = m[2], t = m[3];
  out[i] = make_float4(
      r.x * p.x + r.y * q.x + r.z * s.x + r.w * t.x, r.x * p.y + r.y * q.y + r.z * s.y + r.w * t.y,
      r.x * p.z + r.y * q.z + r.z * s.z + r.w * t.z, r.x * p.w + r.y * q.w + r.z * s.w + r.w * t.w);
}

// LU with partial pivoting of 32 x 32 by a warp: a lane has a row in registers.
__global__ void pivoted_warp(float* out, const float* in) {
  const int lane = threadIdx.x % 32;
  const size_t base = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 1024;
  float row[32];
#pragma unroll
  for (int c = 0; c < 32; ++c) row[c] = in[base + c * 32 + lane];
  bool used = false;
#pragma unroll
  for (int c = 0; c < 32; ++c) {
    unsigned key = used ? 0u : __float_as_uint(fabsf(row[c])) & ~31u | lane | 1u << 30;
    const int pivot = __reduce_max_sync(~0u, key) & 31;
    const float inverse = 1.0f / __shfl_sync(~0u, row[c], pivot);
    used |= lane == pivot;
    const float factor = used ? 0.0f : row[c] * inverse;
    if (!used) row[c] = factor;
#pragma unroll
    for (int j = c + 1; j < 32; ++j) row[j] -= factor * __shfl_sync(~0u, row[j], pivot);
  }
#pragma unroll
  for (int c = 0; c < 32; ++c) out[base + c * 32 + lane] = row[c];
}

// Cholesky of n x n in doubles, a block for a matrix in shared memory.
__global__ void cholesky_block(double* out, const double* in, int n) {
  extern __shared__ double m[];
  const size_t base = (size_t)blockIdx.x * n * n;
  const int pitch = n + 1;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    m[i / n * pitch + i % n] = in[base + i] + (i / n == i % n ? n : 0);
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) m[k * pitch + k] = sqrt(m[k * pitch + k]);
    __syncthreads();
    const double d = m[k * pitch + k];
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) m[i * pitch + k] /= d;
    __syncthreads();
    for (int i = k + 1 + threadIdx.x / 8; i < n; i += blockDim.x / 8)
      for (int j = k + 1 + threadIdx.x % 8; j <= i; j += 8)
        m[i * pitch + j] -= m[i * pitch + k] * m[j * pitch + k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) out[base + i] = m[i / n * pitch + i % n];
}

// Eigenvalues of symmetric 3 x 3 by sweeps of Jacobi; components in arrays of their own.
__global__ void eigen_threes(float* out, const float* in, int n, int sweeps) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[3][3];
  for (int i = 0, k = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k) a[i][j] = a[j][i] = in[(size_t)k * n + t];
  for (int s = 0; s < sweeps; ++s)
#pragma unroll
    for (int e = 0; e < 3; ++e) {
      const int p = e == 2 ? 1 : 0, q = e == 0 ? 1 : 2, r = 3 - p - q;
      const float theta = (a[q][q] - a[p][p]) / (2.0f * a[p][q] + 1e-20f);
      const float tan = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
      const float c = rsqrtf(tan * tan + 1.0f), si = tan * c;
      const float pq = a[p][q], rp = a[r][p], rq = a[r][q];
      a[p][p] -= tan * pq;
      a[q][q] += tan * pq;
      a[p][q] = a[q][p] = 0.0f;
      a[r][p] = a[p][r] = c * rp - si * rq;
      a[r][q] = a[q][r] = si * rp + c * rq;
    }
  for (int i = 0; i < 3; ++i) out[(size_t)i * n + t] = a[i][i];
}

// Tridiagonal systems by parallel cyclic reduction, a block for a system of blockDim.x rows.
__global__ void cyclic_reduction(float* x, const float* lower, const float* upper,
                                 const float* right) {
  extern __shared__ float4 equation[];
  const int t = threadIdx.x, n = blockDim.x;
  const size_t at = (size_t)blockIdx.x * n + t;
  float4 e = make_float4(t > 0 ? lower[at] : 0, 4.0f, t < n - 1 ? upper[at] : 0, right[at]);
  for (int step = 1; step < n; step *= 2) {
    equation[t] = e;
    __syncthreads();
    const float4 none = make_float4(0, 1, 0, 0);
    const float4 l = t >= step ? equation[t - step] : none;
    const float4 r = t + step < n ? equation[t + step] : none;
    const float p = e.x / l.y, q = e.z / r.y;
    e = make_float4(-l.x * p, e.y - l.z * p - r.x * q, -r.z * q, e.w - l.w * p - r.w * q);
    __syncthreads();
  }
  x[at] = e.w / e.y;
}

// Pentadiagonal systems, a thread for each; forward and back through global memory.
__global__ void five_bands(float* x, float* work, const float* right, int systems, int rows) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= systems) return;
  float a1 = 0, a2 = 0, b1 = 0, b2 = 0, y1 = 0, y2 = 0;
  for (int i = 0; i < rows; ++i) {
    const float s = -1.0f - 0.5f * a2;
    const float d = 1.0f / (6.0f - 0.5f * b2 + s * a1);
    const float a = (-1.0f - s * b1) * d, b = -0.5f * d;
    const float y = (right[(size_t)i * systems + t] + 0.5f * y2 - s * y1) * d;
    work[((size_t)i * 2) * systems + t] = a;
    work[((size_t)i * 2 + 1) * systems + t] = y;
    a2 = a1, a1 = a, b2 = b1, b1 = b, y2 = y1, y1 = y;
  }
  float v1 = 0, v2 = 0;
  for (int i = rows - 1; i >= 0; --i) {
    const float v = work[((size_t)i * 2 + 1) * systems + t] -
                    work[((size_t)i * 2) * systems + t] * v1 + 0.1f * v2;
    x[(size_t)i * systems + t] = v;
    v2 = v1, v1 = v;
  }
}

// Gram and Schmidt of 16 vectors of 128: a block of 128 for a set, one component a thread.
__global__ void orthonormal(float* out, const float* in) {
  __shared__ float part[4][16];
  const int t = threadIdx.x;
  const size_t base = (size_t)blockIdx.x * 2048 + t;
  float v[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = in[base + i * 128];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    __syncthreads();
#pragma unroll
    for (int j = i; j < 16; ++j) {
      float dot = v[i] * v[j];
      for (int step = 16; step > 0; step /= 2) dot += __shfl_xor_sync(~0u, dot, step);
      if (t % 32 == 0) part[t / 32][j] = dot;
    }
    __syncthreads();
    const float inverse = rsqrtf(part[0][i] + part[1][i] + part[2][i] + part[3][i]);
    v[i] *= inverse;
#pragma unroll
    for (int j = i + 1; j < 16; ++j)
      v[j] -= v[i] * inverse * (part[0][j] + part[1][j] + part[2][j] + part[3][j]);
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) out[base + i * 128] = v[i];
}

// Exponentials of 6 x 6 by scaling and squaring: everything in registers of one thread.
__global__ void __launch_bounds__(64) exponential_sixes(float* out, const float* in, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float m[36], p[36], s[36];
#pragma unroll
  for (int i = 0; i < 36; ++i) {
    p[i] = m[i] = in[(size_t)i * n + t] * 0.0625f;
    s[i] = m[i] + (i % 7 == 0 ? 1.0f : 0.0f);
  }
  const auto multiply = [](float* r, const float* a, const float* b) {
#pragma unroll
    for (int i = 0; i < 6; ++i)
#pragma unroll
      for (int j = 0; j < 6; ++j) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 6; ++k) sum += a[i * 6 + k] * b[k * 6 + j];
        r[i * 6 + j] = sum;
      }
  };
  for (int term = 2; term < 6; ++term) {
    float q[36];
    multiply(q, p, m);
#pragma unroll
    for (int i = 0; i < 36; ++i) {
      p[i] = q[i] / term;
      s[i] += p[i];
    }
  }
  for (int k = 0; k < 4; ++k) {
    multiply(p, s, s);
#pragma unroll
    for (int i = 0; i < 36; ++i) s[i] = p[i];
  }
#pragma unroll
  for (int i = 0; i < 36; ++i) out[(size_t)i * n + t] = s[i];
}
