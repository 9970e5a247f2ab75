// gpx: --entry dft --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry radix_two --grid 1 --block 64 --buffer ok=512B expect ok==1
// gpx: --entry stockham --grid 1 --block 32 --buffer ok=256B expect ok==1
// gpx: --entry inverse --grid 1 --block 32 --buffer ok=256B expect ok==1
// gpx: --entry radix_four --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry bit_reversal --grid 1 --block 256 --buffer ok=1KB expect ok==1
// gpx: --entry walsh_hadamard --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry number_theoretic --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry warp_fft --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry convolution_theorem --grid 1 --block 16 --buffer ok=64B expect ok==1
// gpx: --entry cosine_transform --grid 1 --block 8,8 --buffer ok=256B expect ok==1
// gpx: --entry goertzel --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry haar --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ float2 root(float turns) {
  float2 w;
  sincospif(2 * turns, &w.y, &w.x);
  return w;
}
__device__ bool near(float a, float b, float most) { return fabsf(a - b) <= most; }

// A wave of 5 turns has one line of 32.
extern "C" __global__ void dft(int* ok) {
  int k = threadIdx.x;
  float2 sum = {0, 0};
  for (int i = 0; i < 32; ++i) {
    float2 w = root(-k * i / 32.0f);
    float v = cospif(2 * 5 * i / 32.0f);
    sum.x += v * w.x, sum.y += v * w.y;
  }
  ok[k] = near(sum.x, k == 5 || k == 27 ? 16 : 0, 1e-3f) && near(sum.y, 0, 1e-3f);
}

extern "C" __global__ void radix_two(int* ok) {
  __shared__ float2 s[128];
  int t = threadIdx.x;
  for (int i = t; i < 128; i += 64) {
    int j = __brev(i) >> 25;
    s[j] = make_float2(i == 3 ? 1 : 0, 0);
  }
  for (int half = 1; half < 128; half *= 2) {
    __syncthreads();
    int i = t / half * 2 * half + t % half;
    float2 w = root(-(t % half) / (2.0f * half)), a = s[i], b = times(s[i + half], w);
    s[i] = make_float2(a.x + b.x, a.y + b.y);
    s[i + half] = make_float2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  for (int k = t; k < 128; k += 64) {
    float2 w = root(-3 * k / 128.0f);
    ok[k] = near(s[k].x, w.x, 1e-4f) && near(s[k].y, w.y, 1e-4f);
  }
}

extern "C" __global__ void stockham(int* ok) {
  __shared__ float2 s[2][64];
  int t = threadIdx.x, from = 0;
  for (int i = t; i < 64; i += 32) s[0][i] = make_float2(1, 0);
  for (int n = 1; n < 64; n *= 2) {
    __syncthreads();
    int k = t & (n - 1);
    float2 w = root(-k / (2.0f * n)), a = s[from][t], b = times(s[from][t + 32], w);
    int at = ((t - k) << 1) + k;
    s[1 - from][at] = make_float2(a.x + b.x, a.y + b.y);
    s[1 - from][at + n] = make_float2(a.x - b.x, a.y - b.y);
    from = 1 - from;
  }
  __syncthreads();
  for (int i = t; i < 64; i += 32)
    ok[i] = near(s[from][i].x, i == 0 ? 64 : 0, 1e-3f) && near(s[from][i].y, 0, 1e-3f);
}

extern "C" __global__ void inverse(int* ok) {
  __shared__ float2 s[64];
  int t = threadIdx.x;
  for (int i = t; i < 64; i += 32) s[i] = make_float2(i, -i);
  for (int way = -1; way <= 1; way += 2)
    for (int half = way < 0 ? 32 : 1; half > 0 && half < 64; half = way < 0 ? half / 2 : half * 2) {
      __syncthreads();
      int i = t / half * 2 * half + t % half;
      float2 w = root(way * (t % half) / (2.0f * half)), a = s[i], b = s[i + half];
      if (way > 0) b = times(b, w);
      float2 plus = {a.x + b.x, a.y + b.y}, minus = {a.x - b.x, a.y - b.y};
      if (way < 0) minus = times(minus, w);
      s[i] = plus;
      s[i + half] = minus;
    }
  __syncthreads();
  for (int i = t; i < 64; i += 32)
    ok[i] = near(s[i].x / 64, i, 1e-3f) && near(s[i].y / 64, -i, 1e-3f);
}

extern "C" __global__ void radix_four(int* ok) {
  int t = threadIdx.x;
  float2 x[4], y[4];
  for (int i = 0; i < 4; ++i) x[i] = make_float2(t + i * i, t * i);
  float2 a = {x[0].x + x[2].x, x[0].y + x[2].y}, b = {x[0].x - x[2].x, x[0].y - x[2].y};
  float2 c = {x[1].x + x[3].x, x[1].y + x[3].y}, d = {x[1].x - x[3].x, x[1].y - x[3].y};
  y[0] = make_float2(a.x + c.x, a.y + c.y);
  y[1] = make_float2(b.x + d.y, b.y - d.x);
  y[2] = make_float2(a.x - c.x, a.y - c.y);
  y[3] = make_float2(b.x - d.y, b.y + d.x);
  bool good = true;
  for (int k = 0; k < 4; ++k) {
    float2 sum = {0, 0};
    for (int i = 0; i < 4; ++i) {
      float2 v = times(x[i], root(-k * i / 4.0f));
      sum.x += v.x, sum.y += v.y;
    }
    good = good && near(sum.x, y[k].x, 1e-2f) && near(sum.y, y[k].y, 1e-2f);
  }
  ok[t] = good;
}

extern "C" __global__ void bit_reversal(int* ok) {
  unsigned t = threadIdx.x, slow = 0;
  for (int b = 0; b < 8; ++b) slow |= (t >> b & 1) << (7 - b);
  ok[t] = (__brev(t) >> 24) == slow && (__brevll(t) >> 56) == slow;
}

extern "C" __global__ void walsh_hadamard(int* ok) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t * t;
  for (int round = 0; round < 2; ++round)
    for (int d = 1; d < 64; d *= 2) {
      __syncthreads();
      int mine = s[t], other = s[t ^ d];
      __syncthreads();
      s[t] = t & d ? other - mine : mine + other;
    }
  __syncthreads();
  ok[t] = s[t] == 64 * t * t;
}

// Modulo 257, whose group has elements of order 64: 3^4.
__device__ unsigned power(unsigned base, unsigned exponent) {
  unsigned r = 1;
  for (; exponent; exponent >>= 1, base = base * base % 257)
    if (exponent & 1) r = r * base % 257;
  return r;
}
extern "C" __global__ void number_theoretic(int* ok) {
  __shared__ unsigned s[64], f[64];
  unsigned t = threadIdx.x, w = power(3, 4), sum = 0;
  s[t] = t * 7 % 257;
  __syncthreads();
  for (unsigned i = 0; i < 64; ++i) sum = (sum + s[i] * power(w, i * t % 64)) % 257;
  f[t] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned i = 0; i < 64; ++i) sum = (sum + f[i] * power(w, (64 - i * t % 64) % 64)) % 257;
  ok[t] = sum * power(64, 255) % 257 == s[t];
}

extern "C" __global__ void warp_fft(int* ok) {
  int lane = threadIdx.x;
  float2 v = {lane == 0 ? 32.0f : 0.0f, 0};
  for (int half = 16; half > 0; half /= 2) {
    float2 other = {__shfl_xor_sync(0xffffffffu, v.x, half),
                    __shfl_xor_sync(0xffffffffu, v.y, half)};
    if (lane & half)
      v = times(make_float2(other.x - v.x, other.y - v.y), root(-(lane % half) / (2.0f * half)));
    else
      v = make_float2(v.x + other.x, v.y + other.y);
  }
  ok[lane] = near(v.x, 32, 1e-3f) && near(v.y, 0, 1e-3f);
}

extern "C" __global__ void convolution_theorem(int* ok) {
  __shared__ float2 fa[16], fb[16];
  int k = threadIdx.x;
  float2 a = {0, 0}, b = {0, 0};
  for (int i = 0; i < 16; ++i) {
    float2 w = root(-k * i / 16.0f);
    a.x += i * w.x, a.y += i * w.y;
    b.x += (i == 1) * w.x, b.y += (i == 1) * w.y;
  }
  fa[k] = a, fb[k] = b;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += times(times(fa[i], fb[i]), root(k * i / 16.0f)).x;
  ok[k] = near(sum / 16, (k + 15) % 16, 1e-3f);
}

extern "C" __global__ void cosine_transform(int* ok) {
  __shared__ float s[8][8], f[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = 10 * y + x;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += s[y][i] * cospif((2 * i + 1) * x / 16.0f);
  f[y][x] = sum * (x == 0 ? sqrtf(0.125f) : 0.5f);
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += f[y][k] * (k == 0 ? sqrtf(0.125f) : 0.5f) * cospif((2 * x + 1) * k / 16.0f);
  ok[y * 8 + x] = near(sum, s[y][x], 1e-2f);
}

extern "C" __global__ void goertzel(int* ok) {
  int k = threadIdx.x;
  float c = 2 * cospif(2 * k / 32.0f), s1 = 0, s2 = 0;
  for (int i = 0; i < 32; ++i) {
    float s = sinpif(2 * 3 * i / 32.0f) + c * s1 - s2;
    s2 = s1;
    s1 = s;
  }
  float power = s1 * s1 + s2 * s2 - c * s1 * s2;
  ok[k] = near(power, k == 3 || k == 29 ? 256 : 0, 0.2f);
}

extern "C" __global__ void haar(int* ok) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t * 3 % 17;
  for (int n = 64; n > 1; n /= 2) {
    __syncthreads();
    int sum = 0, difference = 0;
    if (t < n / 2) sum = s[2 * t] + s[2 * t + 1], difference = s[2 * t] - s[2 * t + 1];
    __syncthreads();
    if (t < n / 2) s[t] = sum, s[n / 2 + t] = difference;
  }
  for (int n = 2; n <= 64; n *= 2) {
    __syncthreads();
    int sum = 0, difference = 0;
    if (t < n / 2) sum = s[t], difference = s[n / 2 + t];
    __syncthreads();
    if (t < n / 2) s[2 * t] = (sum + difference) / 2, s[2 * t + 1] = (sum - difference) / 2;
  }
  __syncthreads();
  ok[t] = s[t] == t * 3 % 17;
}
