// gpx: --entry one_dimension --grid 2 --block 64 --buffer a=1KB:index --buffer ok=512B expect ok==1
// gpx: --entry constant_taps --grid 1 --block 64 --buffer a=512B:index --buffer ok=256B expect ok==1
// gpx: --entry two_dimensions --grid 1 --block 16,16 --buffer a=2KB:index --buffer ok=1KB expect ok==1
// gpx: --entry separable --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry channels --grid 1 --block 8,8 --buffer a=1KB:index --buffer ok=256B expect ok==1
// gpx: --entry stride_two --grid 1 --block 32 --buffer a=512B:index --buffer ok=128B expect ok==1
// gpx: --entry dilated --grid 1 --block 32 --buffer a=512B:index --buffer ok=128B expect ok==1
// gpx: --entry depthwise --grid 4 --block 16 --buffer a=512B:index --buffer ok=256B expect ok==1
// gpx: --entry im2col --grid 1 --block 36 --buffer a=256B:index --buffer b=2KB --buffer ok=144B expect ok==1
// gpx: --entry winograd --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry max_pool --grid 1 --block 8,8 --buffer a=1KB:index --buffer ok=256B expect ok==1
// gpx: --entry average_pool --grid 1 --block 4,4,4 --buffer a=2KB:index --buffer ok=256B expect ok==1
// gpx: --entry transposed --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void one_dimension(const float* a, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float taps[5] = {1, 4, 6, 4, 1};
  float sum = 0;
  for (int k = 0; k < 5; ++k) sum += taps[k] * a[i + k];
  ok[i] = sum == 16.0f * (i + 2);
}

__constant__ int taps[9] = {1, -2, 3, -4, 5, -4, 3, -2, 1};
extern "C" __global__ void constant_taps(const int* a, int* ok) {
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 9; ++k) sum += taps[k] * a[t + k];
  ok[t] = sum == t + 4;
}

extern "C" __global__ void two_dimensions(const int* a, int* ok) {
  __shared__ int s[18][18];
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 324; k += 256) s[k / 18][k % 18] = a[k];
  __syncthreads();
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) sum += (i + 1) * (j + 1) * s[y + j][x + i];
  int expected = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) expected += (i + 1) * (j + 1) * ((y + j) * 18 + x + i);
  ok[y * 16 + x] = sum == expected;
}

extern "C" __global__ void separable(int* ok) {
  __shared__ float rows[16][16], s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = x * y;
  __syncthreads();
  rows[y][x] = s[y][max(x - 1, 0)] + 2 * s[y][x] + s[y][min(x + 1, 15)];
  __syncthreads();
  float v = rows[max(y - 1, 0)][x] + 2 * rows[y][x] + rows[min(y + 1, 15)][x], direct = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      direct += (2 - abs(i)) * (2 - abs(j)) *
                s[min(max(y + j, 0), 15)][min(max(x + i, 0), 15)];
  ok[y * 16 + x] = v == direct;
}

extern "C" __global__ void channels(const int* a, int* ok) {
  int x = threadIdx.x, y = threadIdx.y, sum = 0, expected = 0;
  for (int c = 0; c < 4; ++c) sum += (c + 1) * a[(c * 8 + y) * 8 + x];
  for (int c = 0; c < 4; ++c) expected += (c + 1) * ((c * 8 + y) * 8 + x);
  ok[y * 8 + x] = sum == expected;
}

extern "C" __global__ void stride_two(const float* a, int* ok) {
  int t = threadIdx.x;
  float v = 0.25f * a[2 * t] + 0.5f * a[2 * t + 1] + 0.25f * a[2 * t + 2];
  ok[t] = v == 2 * t + 1;
}

extern "C" __global__ void dilated(const int* a, int* ok) {
  int t = threadIdx.x;
  ok[t] = a[t] - 2 * a[t + 8] + a[t + 16] == 0 && a[t + 24] - a[t] == 24;
}

extern "C" __global__ void depthwise(const float* a, int* ok) {
  int c = blockIdx.x, t = threadIdx.x;
  const float* mine = a + c * 32;
  float v = (c + 1) * (mine[t] + mine[t + 1] + mine[t + 2]);
  ok[c * 16 + t] = v == 3.0f * (c + 1) * (c * 32 + t + 1);
}

// 8 x 8, patches of 3 x 3: 36 columns of 9.
extern "C" __global__ void im2col(const int* a, int* b, int* ok) {
  int t = threadIdx.x, x = t % 6, y = t / 6;
  for (int k = 0; k < 9; ++k) b[k * 36 + t] = a[(y + k / 3) * 8 + x + k % 3];
  int sum = 0;
  for (int k = 0; k < 9; ++k) sum += b[k * 36 + t];
  ok[t] = sum == 9 * ((y + 1) * 8 + x + 1);
}

// F(2, 3): two outputs of a filter of three taps by four products.
extern "C" __global__ void winograd(int* ok) {
  int t = threadIdx.x;
  float d0 = t, d1 = 2 * t + 1, d2 = 3 - t, d3 = 0.5f * t, g0 = 1, g1 = 2, g2 = -3;
  float m1 = (d0 - d2) * g0, m2 = (d1 + d2) * 0.5f * (g0 + g1 + g2),
        m3 = (d2 - d1) * 0.5f * (g0 - g1 + g2), m4 = (d1 - d3) * g2;
  ok[t] = m1 + m2 + m3 == d0 * g0 + d1 * g1 + d2 * g2 &&
          m2 - m3 - m4 == d1 * g0 + d2 * g1 + d3 * g2;
}

extern "C" __global__ void max_pool(const int* a, int* ok) {
  int x = 2 * threadIdx.x, y = 2 * threadIdx.y;
  int best = max(max(a[y * 16 + x], a[y * 16 + x + 1]), max(a[y * 16 + 16 + x], a[y * 16 + 17 + x]));
  ok[threadIdx.y * 8 + threadIdx.x] = best == (y + 1) * 16 + x + 1;
}

extern "C" __global__ void average_pool(const float* a, int* ok) {
  int x = 2 * threadIdx.x, y = 2 * threadIdx.y, z = 2 * threadIdx.z;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[((z + (k >> 2)) * 8 + y + (k >> 1 & 1)) * 8 + x + (k & 1)];
  ok[(threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x] =
      sum / 8 == (z * 8 + y) * 8 + x + 36.5f;
}

// Each input adds to three outputs of twice its place.
extern "C" __global__ void transposed(int* ok) {
  __shared__ int out[130];
  int t = threadIdx.x;
  for (int i = t; i < 130; i += 64) out[i] = 0;
  __syncthreads();
  for (int k = 0; k < 3; ++k) atomicAdd(&out[2 * t + k], (k + 1) * t);
  __syncthreads();
  int even = t + (t > 0 ? 3 * (t - 1) : 0);
  ok[t] = out[2 * t] == even && out[2 * t + 1] == 2 * t;
}
