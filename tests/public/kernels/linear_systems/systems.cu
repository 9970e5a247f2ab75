// gpx: --entry thomas --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry cyclic_reduction --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry parallel_cyclic --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry lu_decomposition --grid 1 --block 8,8 --buffer ok=256B expect ok==1
// gpx: --entry gauss_pivot --grid 1 --block 16 --buffer ok=64B expect ok==1
// gpx: --entry cholesky --grid 1 --block 8 --buffer ok=32B expect ok==1
// gpx: --entry forward_substitution --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry conjugate_gradient --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry gauss_seidel --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry inverse_three --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry qr_givens --grid 1 --block 16 --buffer ok=64B expect ok==1
// gpx: --entry determinant --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry newton_root --grid 1 --block 64 --buffer ok=256B expect ok==1
// -x[i-1] + 4 x[i] - x[i+1] = right side of x[i] = i.
__device__ float right_side(int i, int n) {
  return i == 0 ? -1.0f : i == n - 1 ? 3.0f * i + 1 : 2.0f * i;
}

extern "C" __global__ void thomas(int* ok) {
  const int n = 16;
  float c[n], d[n];
  c[0] = -0.25f, d[0] = right_side(0, n) / 4;
  for (int i = 1; i < n; ++i) {
    float m = 1 / (4 + c[i - 1]);
    c[i] = -m;
    d[i] = (right_side(i, n) + d[i - 1]) * m;
  }
  bool good = fabsf(d[n - 1] - (n - 1)) < 1e-4f;
  for (int i = n - 2; i >= 0; --i) {
    d[i] -= c[i] * d[i + 1];
    good = good && fabsf(d[i] - i) < 1e-4f;
  }
  ok[threadIdx.x] = good;
}

extern "C" __global__ void cyclic_reduction(int* ok) {
  __shared__ float a[64], b[64], c[64], d[64], x[64];
  int t = threadIdx.x;
  a[t] = t > 0 ? -1 : 0, b[t] = 4, c[t] = t < 63 ? -1 : 0, d[t] = right_side(t, 64);
  for (int s = 1; s < 64; s *= 2) {
    __syncthreads();
    if (t % (2 * s) == 2 * s - 1) {
      float k1 = a[t] / b[t - s], k2 = t + s < 64 ? c[t] / b[t + s] : 0;
      float na = -a[t - s] * k1, nc = t + s < 64 ? -c[t + s] * k2 : 0;
      b[t] -= c[t - s] * k1 + (t + s < 64 ? a[t + s] * k2 : 0);
      d[t] -= d[t - s] * k1 + (t + s < 64 ? d[t + s] * k2 : 0);
      a[t] = na, c[t] = nc;
    }
  }
  for (int s = 32; s >= 1; s /= 2) {
    __syncthreads();
    if (s == 32 && t == 63) x[63] = d[63] / b[63];
    __syncthreads();
    if (t % (2 * s) == s - 1) {
      float v = d[t] - c[t] * x[t + s];
      if (t >= s) v -= a[t] * x[t - s];
      x[t] = v / b[t];
    }
  }
  __syncthreads();
  ok[t] = fabsf(x[t] - t) < 1e-3f;
}

extern "C" __global__ void parallel_cyclic(int* ok) {
  __shared__ float a[64], b[64], c[64], d[64];
  int t = threadIdx.x;
  a[t] = t > 0 ? -1 : 0, b[t] = 4, c[t] = t < 63 ? -1 : 0, d[t] = right_side(t, 64);
  for (int s = 1; s < 64; s *= 2) {
    __syncthreads();
    float na = 0, nb = b[t], nc = 0, nd = d[t];
    if (t >= s) {
      float k = a[t] / b[t - s];
      na = -a[t - s] * k, nb -= c[t - s] * k, nd -= d[t - s] * k;
    }
    if (t + s < 64) {
      float k = c[t] / b[t + s];
      nc = -c[t + s] * k, nb -= a[t + s] * k, nd -= d[t + s] * k;
    }
    __syncthreads();
    a[t] = na, b[t] = nb, c[t] = nc, d[t] = nd;
  }
  ok[t] = fabsf(d[t] / b[t] - t) < 1e-3f;
}

extern "C" __global__ void lu_decomposition(int* ok) {
  __shared__ float m[8][8], keep[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  keep[y][x] = m[y][x] = x == y ? 10 : 1.0f / (x + y + 1);
  for (int k = 0; k < 7; ++k) {
    __syncthreads();
    if (x == k && y > k) m[y][k] /= m[k][k];
    __syncthreads();
    if (x > k && y > k) m[y][x] -= m[y][k] * m[k][x];
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k <= min(x, y); ++k) sum += (k == y ? 1 : m[y][k]) * m[k][x];
  ok[y * 8 + x] = fabsf(sum - keep[y][x]) < 1e-4f;
}

extern "C" __global__ void gauss_pivot(int* ok) {
  double m[4][5] = {{0, 2, 1, -1, 1}, {1, 1, -3, 2, 3}, {4, -1, 1, 0, 5}, {2, 3, 0, 5, 23}};
  for (int k = 0; k < 4; ++k) {
    int p = k;
    for (int i = k + 1; i < 4; ++i)
      if (fabs(m[i][k]) > fabs(m[p][k])) p = i;
    for (int j = 0; j < 5; ++j) {
      double swap = m[k][j];
      m[k][j] = m[p][j];
      m[p][j] = swap;
    }
    for (int i = 0; i < 4; ++i) {
      if (i == k) continue;
      double f = m[i][k] / m[k][k];
      for (int j = k; j < 5; ++j) m[i][j] -= f * m[k][j];
    }
  }
  double x = m[0][4] / m[0][0], y = m[1][4] / m[1][1], z = m[2][4] / m[2][2],
         w = m[3][4] / m[3][3];
  ok[threadIdx.x] = fabs(2 * y + z - w - 1) < 1e-12 && fabs(x + y - 3 * z + 2 * w - 3) < 1e-12 &&
                    fabs(4 * x - y + z - 5) < 1e-12 && fabs(2 * x + 3 * y + 5 * w - 23) < 1e-12;
}

extern "C" __global__ void cholesky(int* ok) {
  __shared__ float l[8][8];
  int t = threadIdx.x;
  for (int j = 0; j < 8; ++j) l[t][j] = 0;
  for (int j = 0; j < 8; ++j) {
    __syncthreads();
    float a = min(t, j) + 1 + (t == j), s = 0;
    for (int k = 0; k < j; ++k) s += l[t][k] * l[j][k];
    if (t == j) l[j][j] = sqrtf(a - s);
    __syncthreads();
    if (t > j) l[t][j] = (a - s) / l[j][j];
  }
  __syncthreads();
  bool good = true;
  for (int j = 0; j < 8; ++j) {
    float s = 0;
    for (int k = 0; k < 8; ++k) s += l[t][k] * l[j][k];
    good = good && fabsf(s - (min(t, j) + 1 + (t == j))) < 1e-4f;
  }
  ok[t] = good;
}

extern "C" __global__ void forward_substitution(int* ok) {
  int t = threadIdx.x;
  float mine = (t + 1) * (t + 2) / 2, x = 0;
  for (int k = 0; k < 32; ++k) {
    if (t == k) x = mine;
    float solved = __shfl_sync(0xffffffffu, mine, k);
    if (t > k) mine -= solved;
  }
  ok[t] = x == t + 1;
}

extern "C" __global__ void conjugate_gradient(int* ok) {
  __shared__ float p[32];
  int t = threadIdx.x;
  auto sum = [](float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
  };
  float x = 0, r = right_side(t, 32), rr = sum(r * r);
  p[t] = r;
  for (int step = 0; step < 40 && rr > 1e-8f; ++step) {
    __syncwarp();
    float ap = 4 * p[t] - (t > 0 ? p[t - 1] : 0) - (t < 31 ? p[t + 1] : 0);
    float alpha = rr / sum(p[t] * ap);
    x += alpha * p[t];
    r -= alpha * ap;
    float next = sum(r * r);
    __syncwarp();
    p[t] = r + next / rr * p[t];
    rr = next;
  }
  ok[t] = fabsf(x - t) < 1e-3f;
}

extern "C" __global__ void gauss_seidel(int* ok) {
  float x[8] = {};
  for (int step = 0; step < 40; ++step)
    for (int i = 0; i < 8; ++i)
      x[i] = (right_side(i, 8) + (i > 0 ? x[i - 1] : 0) + (i < 7 ? x[i + 1] : 0)) / 4;
  bool good = true;
  for (int i = 0; i < 8; ++i) good = good && fabsf(x[i] - i) < 1e-4f;
  ok[threadIdx.x] = good;
}

extern "C" __global__ void inverse_three(int* ok) {
  float t = threadIdx.x, m[9] = {2 + t, 1, 0, -1, 3, 1, 0.5f, 0, 4}, inverse[9];
  auto minor = [&](int r, int c) {
    int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
  };
  float d = m[0] * minor(0, 0) + m[1] * minor(0, 1) + m[2] * minor(0, 2);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) inverse[3 * c + r] = minor(r, c) / d;
  bool good = true;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      float s = 0;
      for (int k = 0; k < 3; ++k) s += m[3 * r + k] * inverse[3 * k + c];
      good = good && fabsf(s - (r == c)) < 1e-4f;
    }
  ok[threadIdx.x] = good;
}

extern "C" __global__ void qr_givens(int* ok) {
  float m[3][3], q[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, keep[3][3];
  for (int i = 0; i < 9; ++i)
    keep[i / 3][i % 3] = m[i / 3][i % 3] = (i * 5 + threadIdx.x) % 7 + (i % 4 == 0 ? 4 : 0);
  for (int j = 0; j < 2; ++j)
    for (int i = 2; i > j; --i) {
      float r = hypotf(m[j][j], m[i][j]), c = m[j][j] / r, s = m[i][j] / r;
      for (int k = 0; k < 3; ++k) {
        float a = m[j][k], b = m[i][k], u = q[k][j], v = q[k][i];
        m[j][k] = c * a + s * b, m[i][k] = c * b - s * a;
        q[k][j] = c * u + s * v, q[k][i] = c * v - s * u;
      }
    }
  bool good = true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      float s = 0;
      for (int k = 0; k < 3; ++k) s += q[i][k] * m[k][j];
      good = good && fabsf(s - keep[i][j]) < 1e-4f && (i <= j || fabsf(m[i][j]) < 1e-4f);
    }
  ok[threadIdx.x] = good;
}

// Bareiss: no fractions.
extern "C" __global__ void determinant(int* ok) {
  long long m[5][5], before = 1;
  for (int i = 0; i < 25; ++i) m[i / 5][i % 5] = i / 5 == i % 5 ? 3 : 1;
  for (int k = 0; k < 4; ++k) {
    for (int i = k + 1; i < 5; ++i)
      for (int j = k + 1; j < 5; ++j)
        m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / before;
    before = m[k][k];
  }
  ok[threadIdx.x] = m[4][4] == 16 * 7;
}

extern "C" __global__ void newton_root(int* ok) {
  double a = threadIdx.x + 2, x = a;
  int steps = 0;
  for (double before = 0; fabs(x - before) > 1e-15 * x && steps < 60; ++steps) {
    before = x;
    x = x - (x * x * x - a) / (3 * x * x);
  }
  ok[threadIdx.x] = fabs(x * x * x - a) < 1e-12 * a && fabs(x - cbrt(a)) < 1e-13 * x;
}
