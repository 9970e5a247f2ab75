// Transforms of signals and of pictures.

__device__ inline float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ inline float2 plus(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline float2 minus(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}

__device__ inline void eight(float2* v) {
  const float h = 0.70710678f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 s = plus(v[i], v[i + 4]), d = minus(v[i], v[i + 4]);
    v[i] = s;
    v[i + 4] = i == 0   ? d
               : i == 1 ? make_float2(h * (d.x + d.y), h * (d.y - d.x))
               : i == 2 ? make_float2(d.y, -d.x)
                        : make_float2(h * (d.y - d.x), -h * (d.x + d.y));
  }
#pragma unroll
  for (int b = 0; b < 8; b += 4) {
    const float2 p = plus(v[b], v[b + 2]), q = minus(v[b], v[b + 2]);
    const float2 r = plus(v[b + 1], v[b + 3]), d = minus(v[b + 1], v[b + 3]);
    const float2 s = make_float2(d.y, -d.x);
    v[b] = plus(p, r), v[b + 1] = minus(p, r), v[b + 2] = plus(q, s), v[b + 3] = minus(q, s);
  }
}

// A pass of radix 8 over data in global memory, `stride` apart.
__global__ void radix_eight(float2* out, const float2* in, int eighth, int stride) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= eighth) return;
  float2 v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = in[t + (size_t)i * eighth];
  const int k = t % stride;
  float angle = -6.2831853f * k / (8.0f * stride);
#pragma unroll
  for (int i = 1; i < 8; ++i) {
    float s, c;
    __sincosf(angle * i, &s, &c);
    v[i] = times(v[i], make_float2(c, s));
  }
  eight(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) out[(size_t)(t / stride * 8 + i) * stride + k] = v[i];
}

// 64 points of a warp, two a lane, exchanged by shuffles; twiddles by sincospi.
__global__ void warp_fourier(float2* data, int count) {
  const int lane = threadIdx.x % 32, which = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (which >= count) return;
  float2 a = data[(size_t)which * 64 + lane], b = data[(size_t)which * 64 + 32 + lane];
  for (int half = 32; half > 0; half /= 2) {
    float2 w;
    sincospif(-(float)(lane % half) / half, &w.y, &w.x);
    const float2 s = plus(a, b), d = times(minus(a, b), w);
    a = s, b = d;
    if (half == 1) break;
    const int next = half / 2;
    const bool high = lane & next;
    const float2 give = high ? a : b;
    const float2 got =
        make_float2(__shfl_xor_sync(~0u, give.x, next), __shfl_xor_sync(~0u, give.y, next));
    if (high)
      a = got;
    else
      b = got;
  }
  data[(size_t)which * 64 + lane] = a;
  data[(size_t)which * 64 + 32 + lane] = b;
}

// 512 points of doubles in shared memory, radix 2, twiddles from a table.
__global__ void double_fourier(double2* out, const double2* in, const double2* root) {
  __shared__ double2 v[512];
  const int t = threadIdx.x;
  const size_t base = (size_t)blockIdx.x * 512;
  v[__brev(t) >> 23] = in[base + t];
  v[__brev(t + 256) >> 23] = in[base + t + 256];
  for (int half = 1; half < 512; half *= 2) {
    __syncthreads();
    const int i = t / half * half * 2 + t % half;
    const double2 w = root[t % half * (256 / half)], a = v[i], b = v[i + half];
    const double2 p = make_double2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    v[i] = make_double2(a.x + p.x, a.y + p.y);
    v[i + half] = make_double2(a.x - p.x, a.y - p.y);
  }
  __syncthreads();
  out[base + t] = v[t];
  out[base + t + 256] = v[t + 256];
}

// Twiddles and a transposition of complex numbers, between two passes of a large transform.
__global__ void twist_transpose(float2* out, const float2* in, int side) {
  __shared__ float2 tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float s, c;
  sincospif(-2.0f * (float)((long long)x * y % ((long long)side * side)) / ((float)side * side), &s,
            &c);
  tile[threadIdx.y][threadIdx.x] = times(in[(size_t)y * side + x], make_float2(c, s));
  __syncthreads();
  out[(size_t)(blockIdx.x * 16 + threadIdx.y) * side + blockIdx.y * 16 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

// Wavelets of Haar of a row of 2 * blockDim.x, all levels: fewer threads at each.
__global__ void haar_rows(float* out, const float* in) {
  extern __shared__ float line[];
  const int t = threadIdx.x, n = blockDim.x * 2;
  const size_t base = (size_t)blockIdx.x * n;
  line[t] = in[base + t];
  line[t + blockDim.x] = in[base + blockDim.x + t];
  for (int half = blockDim.x; half > 0; half /= 2) {
    __syncthreads();
    float a = 0, b = 0;
    if (t < half) a = line[2 * t], b = line[2 * t + 1];
    __syncthreads();
    if (t < half) {
      line[t] = (a + b) * 0.70710678f;
      out[base + half + t] = (a - b) * 0.70710678f;
    }
  }
  if (t == 0) out[base] = line[0];
}

// Goertzel: a thread for a frequency, all read the same samples.
__global__ void goertzel(float* power, const float* in, int samples) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  const float w = 2.0f * cospif(2.0f * f / (gridDim.x * blockDim.x));
  float s1 = 0, s2 = 0;
#pragma unroll 4
  for (int i = 0; i < samples; ++i) {
    const float s = fmaf(w, s1, __ldg(&in[i]) - s2);
    s2 = s1;
    s1 = s;
  }
  power[f] = s1 * s1 + s2 * s2 - w * s1 * s2;
}

// Correlations of pairs of antennas: a block of 16 x 16 for pairs, time in steps of 32.
__global__ void correlate(float2* out, const char2* in, int antennas, int times_) {
  __shared__ char2 row[16][33], column[16][33];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  int re = 0, im = 0;
  for (int at = 0; at < times_; at += 32) {
    for (int i = t; i < 512; i += 256) {
      row[i / 32][i % 32] = in[(size_t)(blockIdx.y * 16 + i / 32) * times_ + at + i % 32];
      column[i / 32][i % 32] = in[(size_t)(blockIdx.x * 16 + i / 32) * times_ + at + i % 32];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
      const char2 a = row[y][k], b = column[x][k];
      re += a.x * b.x + a.y * b.y;
      im += a.y * b.x - a.x * b.y;
    }
    __syncthreads();
  }
  out[(size_t)(blockIdx.y * 16 + y) * antennas + blockIdx.x * 16 + x] = make_float2(re, im);
}

// Channels of a filter bank: 16 taps of each of 256 channels, sums slide over time in registers.
__global__ void filter_bank(float* out, const float* in, const float* weight, int steps) {
  float w[16], past[16];
  const int c = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 16; ++k) w[k] = weight[k * 256 + c];
  const float* mine = in + (size_t)blockIdx.x * steps * 256 + c;
#pragma unroll
  for (int k = 0; k < 16; ++k) past[k] = 0;
  for (int s = 0; s < steps; s += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      past[j] = mine[(s + j) * 256];
      float sum = 0;
#pragma unroll
      for (int k = 0; k < 16; ++k) sum = fmaf(w[k], past[(j + 16 - k) % 16], sum);
      out[(size_t)(blockIdx.x * steps + s + j) * 256 + c] = sum;
    }
  }
}
