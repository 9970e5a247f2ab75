// Stages of Fourier transforms.

__device__ inline float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Sixteen points a thread in registers, `sixteenth` apart; factors by sines and cosines.
__global__ void sixteen_points(float2* out, const float2* in, int sixteenth) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= sixteenth) return;
  float2 v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[t + k * sixteenth];
#pragma unroll
  for (int half = 8; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      if (k & half) continue;
      const float2 a = v[k], b = v[k | half];
      float s, c;
      sincospif(-(float)(k % half) / half, &s, &c);
      v[k] = make_float2(a.x + b.x, a.y + b.y);
      v[k | half] = times(make_float2(a.x - b.x, a.y - b.y), make_float2(c, s));
    }
  float s, c;
  sincospif(-2.0f * t / (16.0f * sixteenth), &s, &c);
  const float2 turn = make_float2(c, s);
  float2 power = make_float2(1, 0);
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const int reversed = (k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3;
    out[(size_t)t * 16 + k] = times(v[reversed], power);
    power = times(power, turn);
  }
}

// 4096 points of a block in place in 32 KB of shared memory, by two: strides of all powers of two.
__global__ void in_place_4096(float2* data) {
  __shared__ float2 v[4096];
  float2* mine = data + (size_t)blockIdx.x * 4096;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) v[__brev(i) >> 20] = mine[i];
  for (int half = 1; half < 4096; half *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
      const int k = i & (half - 1), at = (i - k) * 2 + k;
      float s, c;
      __sincosf(-3.14159265f * k / half, &s, &c);
      const float2 a = v[at], b = times(v[at + half], make_float2(c, s));
      v[at] = make_float2(0.7f * (a.x + b.x), 0.7f * (a.y + b.y));
      v[at + half] = make_float2(0.7f * (a.x - b.x), 0.7f * (a.y - b.y));
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) mine[i] = v[i];
}
