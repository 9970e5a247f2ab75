// Transforms in shared memory and by shuffles.
#ifndef POINTS
#define POINTS 1024
#endif

// A block transforms POINTS complex numbers (Stockham, radix 2) with POINTS / 2 threads.
__global__ void fourier(float2* out, const float2* in) {
  __shared__ float2 a[POINTS], b[POINTS];
  const int t = threadIdx.x;
  const float2* mine = in + (size_t)blockIdx.x * POINTS;
  a[t] = mine[t], a[t + POINTS / 2] = mine[t + POINTS / 2];
  float2 *from = a, *to = b;
  __syncthreads();
  for (int half = 1; half < POINTS; half *= 2) {
    const int k = t % half, base = (t / half) * 2 * half;
    float s, c;
    __sincosf(-3.14159265f * k / half, &s, &c);
    const float2 u = from[t], v = from[t + POINTS / 2];
    const float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    to[base + k] = make_float2(u.x + w.x, u.y + w.y);
    to[base + k + half] = make_float2(u.x - w.x, u.y - w.y);
    __syncthreads();
    float2* other = from;
    from = to, to = other;
  }
  out[(size_t)blockIdx.x * POINTS + t] = from[t];
  out[(size_t)blockIdx.x * POINTS + t + POINTS / 2] = from[t + POINTS / 2];
}

// Numbers modulo 2^64 - 2^32 + 1: products of 128 bits.
__device__ unsigned long long times(unsigned long long a, unsigned long long b) {
  constexpr unsigned long long kP = 0xffffffff00000001ull;
  const unsigned long long low = a * b, high = __umul64hi(a, b);
  const unsigned long long top = high >> 32, middle = high & 0xffffffffull;
  unsigned long long r = low - top;
  if (low < top) r -= 0xffffffffull;
  const unsigned long long add = middle * 0xffffffffull;
  r += add;
  if (r < add) r += 0xffffffffull;
  return r >= kP ? r - kP : r;
}

__global__ void number_transform(unsigned long long* data, const unsigned long long* root,
                                 int points) {
  extern __shared__ unsigned long long value[];
  const int t = threadIdx.x;
  unsigned long long* mine = data + (size_t)blockIdx.x * points;
  for (int i = t; i < points; i += blockDim.x) value[i] = mine[i];
  __syncthreads();
  for (int half = points / 2; half > 0; half /= 2) {
    for (int i = t; i < points / 2; i += blockDim.x) {
      const int k = i % half, at = (i / half) * 2 * half + k;
      const unsigned long long u = value[at], v = value[at + half];
      value[at] = u + v;
      value[at + half] = times(u - v, root[k * (points / 2 / half)]);
    }
    __syncthreads();
  }
  for (int i = t; i < points; i += blockDim.x) mine[i] = value[i];
}

// Cosine transforms of 8 by 8, four to a block of 256 threads.
__constant__ float cosine[8][8] = {
    {0.354f, 0.354f, 0.354f, 0.354f, 0.354f, 0.354f, 0.354f, 0.354f},
    {0.490f, 0.416f, 0.278f, 0.098f, -0.098f, -0.278f, -0.416f, -0.490f},
    {0.462f, 0.191f, -0.191f, -0.462f, -0.462f, -0.191f, 0.191f, 0.462f},
    {0.416f, -0.098f, -0.490f, -0.278f, 0.278f, 0.490f, 0.098f, -0.416f},
    {0.354f, -0.354f, -0.354f, 0.354f, 0.354f, -0.354f, -0.354f, 0.354f},
    {0.278f, -0.490f, 0.098f, 0.416f, -0.416f, -0.098f, 0.490f, -0.278f},
    {0.191f, -0.462f, 0.462f, -0.191f, -0.191f, 0.462f, -0.462f, 0.191f},
    {0.098f, -0.278f, 0.416f, -0.490f, 0.490f, -0.416f, 0.278f, -0.098f}};

__global__ void cosine_blocks(short* out, const unsigned char* image, int width) {
  __shared__ float tile[4][8][9], half[4][8][9];
  const int x = threadIdx.x % 8, y = threadIdx.x / 8 % 8, b = threadIdx.x / 64;
  const size_t at = (size_t)(blockIdx.y * 8 + y) * width + (size_t)(blockIdx.x * 4 + b) * 8 + x;
  tile[b][y][x] = image[at] - 128.0f;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += cosine[x][k] * tile[b][y][k];
  half[b][y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += cosine[y][k] * half[b][k][x];
  out[at] = (short)rintf(sum);
}

// Walsh and Hadamard: 32 lanes by shuffles, eight values a thread in registers.
__global__ void hadamard(float* data) {
  float v[8];
  float* mine = data + (size_t)blockIdx.x * blockDim.x * 8 + threadIdx.x;
  for (int k = 0; k < 8; ++k) v[k] = mine[k * blockDim.x];
#pragma unroll
  for (int d = 1; d < 8; d *= 2)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if ((k & d) == 0) {
        const float a = v[k], b = v[k + d];
        v[k] = a + b, v[k + d] = a - b;
      }
  for (int d = 1; d < 32; d *= 2)
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float other = __shfl_xor_sync(0xffffffffu, v[k], d);
      v[k] = threadIdx.x & d ? other - v[k] : v[k] + other;
    }
  for (int k = 0; k < 8; ++k) mine[k * blockDim.x] = v[k] * 0.0625f;
}
