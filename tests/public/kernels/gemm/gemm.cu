// gpx: --entry naive --grid 2,2 --block 8,8 --buffer a=1KB:index --buffer b=1KB:1 --buffer ok=1KB --arg n=16 expect ok==1
// gpx: --entry tiled --grid 2,2 --block 8,8 --buffer a=1KB:index --buffer b=1KB:2 --buffer c=1KB --buffer ok=1KB --arg n=16 expect ok==1
// gpx: --entry register_block --grid 1 --block 8,8 --buffer a=1KB:index --buffer b=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry doubles --grid 1 --block 12,12 --buffer ok=576B expect ok==1
// gpx: --entry rectangular --grid 1 --block 8,4 --buffer a=128B:index --buffer b=256B:index --buffer ok=128B --arg m=4 --arg n=8 --arg k=8 expect ok==1
// gpx: --entry transposed_b --grid 1 --block 16,16 --buffer a=1KB:index --buffer ok=1KB expect ok==1
// gpx: --entry integer_bytes --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry strassen_once --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry matrix_vector --grid 4 --block 32 --buffer a=4KB:index --buffer x=128B:1 --buffer ok=512B --arg columns=32 expect ok==1
// gpx: --entry outer_product --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry power_of_matrix --grid 1 --block 4,4 --buffer ok=64B expect ok==1
// gpx: --entry batched --grid 8 --block 4,4 --buffer a=512B:index --buffer ok=512B expect ok==1
// gpx: --entry split_k --grid 4 --block 64 --buffer c=256B:0 --buffer done=4B:zero --buffer ok=256B expect ok==1
// gpx: --entry symmetric_update --grid 1 --block 8,8 --buffer a=256B:index --buffer ok=256B expect ok==1
extern "C" __global__ void naive(const float* a, const float* b, int* ok, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  ok[y * n + x] = sum == n * (y * n) + n * (n - 1) / 2;
}

extern "C" __global__ void tiled(const float* a, const float* b, float* c, int* ok, int n) {
  __shared__ float sa[8][8], sb[8][8];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    sa[ty][tx] = a[y * n + k + tx];
    sb[ty][tx] = b[(k + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += sa[ty][i] * sb[i][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
  ok[y * n + x] = c[y * n + x] == 2.0f * (n * (y * n) + n * (n - 1) / 2);
}

extern "C" __global__ void register_block(const float* a, const float* b, int* ok) {
  int x = 2 * threadIdx.x, y = 2 * threadIdx.y;
  float c[2][2] = {};
  for (int k = 0; k < 16; ++k) {
    float u[2] = {a[y * 16 + k], a[(y + 1) * 16 + k]}, v[2] = {b[k * 16 + x], b[k * 16 + x + 1]};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) c[i][j] = fmaf(u[i], v[j], c[i][j]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      int expected = 0;
      for (int k = 0; k < 16; ++k) expected += ((y + i) * 16 + k) * (k * 16 + x + j);
      ok[(y + i) * 16 + x + j] = c[i][j] == (float)expected;
    }
}

extern "C" __global__ void doubles(int* ok) {
  __shared__ double a[12][12], b[12][12];
  int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = y == x ? 2.0 : 0.5;
  b[y][x] = y * 12 + x;
  __syncthreads();
  double sum = 0, column = 0;
  for (int k = 0; k < 12; ++k) sum += a[y][k] * b[k][x], column += b[k][x];
  ok[y * 12 + x] = sum == 0.5 * column + 1.5 * b[y][x];
}

extern "C" __global__ void rectangular(const int* a, const int* b, int* ok, int m, int n, int k) {
  int x = threadIdx.x, y = threadIdx.y, sum = 0, expected = 0;
  if (x >= n || y >= m) return;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  for (int i = 0; i < k; ++i) expected += (y * k + i) * (i * n + x);
  ok[y * n + x] = sum == expected;
}

extern "C" __global__ void transposed_b(const float* a, int* ok) {
  __shared__ float s[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = a[y * 16 + x];
  __syncthreads();
  float sum = 0, expected = 0;
  for (int k = 0; k < 16; ++k) sum += s[y][k] * s[x][k];
  for (int k = 0; k < 16; ++k) expected += (float)((y * 16 + k) * (x * 16 + k));
  ok[y * 16 + x] = sum == expected;
}

extern "C" __global__ void integer_bytes(int* ok) {
  int t = threadIdx.x, packed = 0x01020304, sum = 0;
  for (int i = 0; i < 4; ++i) sum = __dp4a(packed, 0x01010101 * t, sum);
  int expected = 0;
  for (int i = 0; i < 4; ++i) expected += 10 * t;
  ok[t] = sum == expected;
}

// The seven products of Strassen for 2 x 2.
extern "C" __global__ void strassen_once(int* ok) {
  int t = threadIdx.x, a = t, b = 2 * t + 1, c = 3 - t, d = 5, e = t * t, f = 7, g = -t, h = 11;
  int p1 = a * (f - h), p2 = (a + b) * h, p3 = (c + d) * e, p4 = d * (g - e),
      p5 = (a + d) * (e + h), p6 = (b - d) * (g + h), p7 = (a - c) * (e + f);
  ok[t] = p5 + p4 - p2 + p6 == a * e + b * g && p1 + p2 == a * f + b * h &&
          p3 + p4 == c * e + d * g && p1 + p5 - p3 - p7 == c * f + d * h;
}

extern "C" __global__ void matrix_vector(const float* a, const float* x, int* ok, int columns) {
  for (int row = blockIdx.x * 8; row < (blockIdx.x + 1) * 8; ++row) {
    float v = a[row * columns + threadIdx.x] * x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    v = __shfl_sync(0xffffffffu, v, 0);
    bool good = v == (float)(columns * row * columns + columns * (columns - 1) / 2);
    int at = blockIdx.x * 32 + threadIdx.x;
    ok[at] = good && (row == blockIdx.x * 8 || ok[at]);
  }
}

extern "C" __global__ void outer_product(int* ok) {
  __shared__ float u[16], v[16];
  int x = threadIdx.x, y = threadIdx.y;
  if (y == 0) u[x] = x + 1, v[x] = 1.0f / (x + 1);
  __syncthreads();
  float c = u[y] * v[x];
  ok[y * 16 + x] = fabsf(c * (x + 1) - (y + 1)) < 1e-4f;
}

// Powers of the matrix of Fibonacci.
extern "C" __global__ void power_of_matrix(int* ok) {
  unsigned m[4] = {1, 1, 1, 0}, r[4] = {1, 0, 0, 1};
  int n = threadIdx.y * 4 + threadIdx.x, left = n;
  while (left) {
    if (left & 1) {
      unsigned q[4] = {r[0] * m[0] + r[1] * m[2], r[0] * m[1] + r[1] * m[3],
                       r[2] * m[0] + r[3] * m[2], r[2] * m[1] + r[3] * m[3]};
      for (int i = 0; i < 4; ++i) r[i] = q[i];
    }
    unsigned q[4] = {m[0] * m[0] + m[1] * m[2], m[0] * m[1] + m[1] * m[3],
                     m[2] * m[0] + m[3] * m[2], m[2] * m[1] + m[3] * m[3]};
    for (int i = 0; i < 4; ++i) m[i] = q[i];
    left >>= 1;
  }
  unsigned a = 0, b = 1;
  for (int i = 0; i < n; ++i) {
    unsigned c = a + b;
    a = b;
    b = c;
  }
  ok[n] = r[1] == a;
}

extern "C" __global__ void batched(const int* a, int* ok) {
  const int* m = a + 16 * blockIdx.x;
  int x = threadIdx.x, y = threadIdx.y, sum = 0, expected = 0, first = 16 * blockIdx.x;
  for (int k = 0; k < 4; ++k) sum += m[y * 4 + k] * m[k * 4 + x];
  for (int k = 0; k < 4; ++k) expected += (first + y * 4 + k) * (first + k * 4 + x);
  ok[first + y * 4 + x] = sum == expected;
}

extern "C" __global__ void split_k(float* c, unsigned* done, int* ok) {
  __shared__ bool last;
  int t = threadIdx.x, y = t / 8, x = t % 8;
  float sum = 0;
  for (int k = blockIdx.x * 4; k < blockIdx.x * 4 + 4; ++k) sum += (float)(y + k) * (x - k);
  atomicAdd(&c[t], sum);
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  float expected = 0;
  for (int k = 0; k < 16; ++k) expected += (float)(y + k) * (x - k);
  ok[t] = atomicAdd(&c[t], 0.0f) == expected;
}

extern "C" __global__ void symmetric_update(const int* a, int* ok) {
  __shared__ int s[8][8], c[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = a[y * 8 + x];
  __syncthreads();
  if (x <= y) {
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += s[y][k] * s[x][k];
    c[y][x] = c[x][y] = sum;
  }
  __syncthreads();
  int expected = 0;
  for (int k = 0; k < 8; ++k) expected += (y * 8 + k) * (x * 8 + k);
  ok[y * 8 + x] = c[y][x] == expected;
}
