// gpx: --entry softmax_row --grid 4 --block 64 --buffer ok=1KB expect ok==1
// gpx: --entry softmax_online --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry log_softmax --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry layer_norm --grid 2 --block 128 --buffer ok=1KB --arg eps=1e-5 expect ok==1
// gpx: --entry rms_norm --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry scores --grid 1 --block 16,16 --buffer ok=1KB expect ok==1
// gpx: --entry causal --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry flash --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry gelu --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry rotary --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry dropout --grid 1 --block 256 --buffer ok=1KB --arg p=0.25 expect ok==1
// gpx: --entry cross_entropy --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry top_two --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry adam --grid 1 --block 32 --buffer ok=128B --arg rate=0.001 expect ok==1
#include <math.h>

template <typename Op>
__device__ float over_block(float v, float* s, Op op) {
  s[threadIdx.x] = v;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + half]);
  }
  __syncthreads();
  float all = s[0];
  __syncthreads();
  return all;
}
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Most {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

extern "C" __global__ void softmax_row(int* ok) {
  __shared__ float s[64];
  float x = sinf(blockIdx.x * 64 + threadIdx.x) * 10, m = over_block(x, s, Most());
  float e = expf(x - m), total = over_block(e, s, Sum()), p = e / total;
  float one = over_block(p, s, Sum());
  ok[blockIdx.x * 64 + threadIdx.x] = fabsf(one - 1) < 1e-5f && p >= 0 && p <= 1;
}

extern "C" __global__ void softmax_online(int* ok) {
  float m = -INFINITY, d = 0, m2 = -INFINITY, d2 = 0;
  for (int i = 0; i < 40; ++i) {
    float x = cosf(i + threadIdx.x) * 20, next = fmaxf(m, x);
    d = d * expf(m - next) + expf(x - next);
    m = next;
    m2 = fmaxf(m2, x);
  }
  for (int i = 0; i < 40; ++i) d2 += expf(cosf(i + threadIdx.x) * 20 - m2);
  ok[threadIdx.x] = m == m2 && fabsf(d - d2) < 1e-4f * d2;
}

extern "C" __global__ void log_softmax(int* ok) {
  __shared__ float s[64];
  float x = 100 + threadIdx.x * 0.125f, m = over_block(x, s, Most());
  float l = logf(over_block(expf(x - m), s, Sum())), y = x - m - l;
  ok[threadIdx.x] = fabsf(over_block(expf(y), s, Sum()) - 1) < 1e-4f && y <= 0;
}

extern "C" __global__ void layer_norm(int* ok, float eps) {
  __shared__ float s[128];
  float x = threadIdx.x * 3.0f + blockIdx.x, mean = over_block(x, s, Sum()) / 128;
  float v = over_block((x - mean) * (x - mean), s, Sum()) / 128;
  float y = (x - mean) * rsqrtf(v + eps);
  float m = over_block(y, s, Sum()) / 128, q = over_block(y * y, s, Sum()) / 128;
  ok[blockIdx.x * 128 + threadIdx.x] = fabsf(m) < 1e-4f && fabsf(q - 1) < 1e-3f;
}

extern "C" __global__ void rms_norm(int* ok) {
  float x = (threadIdx.x & 31) + 1, square = x * x;
  for (int d = 16; d > 0; d /= 2) square += __shfl_xor_sync(0xffffffffu, square, d);
  float y = x * rsqrtf(square / 32);
  float back = y * y;
  for (int d = 16; d > 0; d /= 2) back += __shfl_xor_sync(0xffffffffu, back, d);
  ok[threadIdx.x] = fabsf(back - 32) < 1e-3f;
}

extern "C" __global__ void scores(int* ok) {
  __shared__ float q[16][8], k[16][8];
  int x = threadIdx.x, y = threadIdx.y;
  if (x < 8) q[y][x] = y == x, k[y][x] = y * 8 + x;
  __syncthreads();
  float dot = 0;
  for (int i = 0; i < 8; ++i) dot += q[y][i] * k[x][i];
  ok[y * 16 + x] = dot == (y < 8 ? x * 8 + y : 0);
}

extern "C" __global__ void causal(int* ok) {
  int row = threadIdx.x;
  float total = 0, mean = 0;
  for (int c = 0; c < 32; ++c) total += c <= row ? 1 : expf(-INFINITY);
  for (int c = 0; c <= row; ++c) mean += c / total;
  ok[row] = total == row + 1 && fabsf(mean - row / 2.0f) < 1e-4f;
}

// Blocks of 8 keys with running maximum and sum, against all at once.
extern "C" __global__ void flash(int* ok) {
  int row = threadIdx.x;
  auto score = [&](int c) { return sinf(row * 3.0f + c) * 5; };
  float m = -INFINITY, l = 0, o = 0;
  for (int first = 0; first < 64; first += 8) {
    float block = -INFINITY;
    for (int c = first; c < first + 8; ++c) block = fmaxf(block, score(c));
    float next = fmaxf(m, block), scale = expf(m - next);
    l *= scale, o *= scale;
    for (int c = first; c < first + 8; ++c) {
      float p = expf(score(c) - next);
      l += p, o += p * c;
    }
    m = next;
  }
  float total = 0, out = 0;
  for (int c = 0; c < 64; ++c) total += expf(score(c) - m), out += expf(score(c) - m) * c;
  ok[row] = fabsf(o / l - out / total) < 1e-3f;
}

extern "C" __global__ void gelu(int* ok) {
  float x = (threadIdx.x - 64) / 16.0f, exact = 0.5f * x * (1 + erff(x * 0.70710678f));
  float fast = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  ok[threadIdx.x] = fabsf(exact - fast) < 1e-3f;
}

extern "C" __global__ void rotary(int* ok) {
  float a = threadIdx.x + 1, b = 2 * threadIdx.x, c, s;
  sincosf(0.1f * threadIdx.x, &s, &c);
  float x = a * c - b * s, y = a * s + b * c;
  ok[threadIdx.x] = fabsf(x * x + y * y - a * a - b * b) < 1e-3f * (a * a + b * b) + 1e-3f;
}

extern "C" __global__ void dropout(int* ok, float p) {
  unsigned h = (threadIdx.x * 4) * 2654435761u;
  bool keep = (h >> 8) >= p * 16777216;
  float y = keep ? 1 / (1 - p) : 0;
  int kept = __syncthreads_count(keep);
  ok[threadIdx.x] = kept > 170 && kept < 214 && (y == 0 || fabsf(y - 1.3333333f) < 1e-6f);
}

extern "C" __global__ void cross_entropy(int* ok) {
  float x = threadIdx.x == 7 ? 3 : 1, e = expf(x), total = e;
  for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(0xffffffffu, total, d);
  float loss = logf(total) - __shfl_sync(0xffffffffu, x, 7);
  float gradient = e / total - (threadIdx.x == 7);
  for (int d = 16; d > 0; d /= 2) gradient += __shfl_xor_sync(0xffffffffu, gradient, d);
  ok[threadIdx.x] = fabsf(loss - (logf(31 * expf(1) + expf(3)) - 3)) < 1e-5f &&
                    fabsf(gradient) < 1e-5f;
}

extern "C" __global__ void top_two(int* ok) {
  int lane = threadIdx.x, v = lane * 13 % 32, first = v, second = -1;
  for (int d = 16; d > 0; d /= 2) {
    int a = __shfl_xor_sync(0xffffffffu, first, d), b = __shfl_xor_sync(0xffffffffu, second, d);
    if (a > first) {
      second = max(first, b);
      first = a;
    } else {
      second = max(second, a == first ? b : a);
    }
  }
  ok[lane] = first == 31 && second == 30;
}

extern "C" __global__ void adam(int* ok, float rate) {
  float w = 1, m = 0, v = 0;
  for (int step = 1; step <= 200; ++step) {
    float g = 2 * w;
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g * g;
    float mh = m / (1 - powf(0.9f, step)), vh = v / (1 - powf(0.999f, step));
    w -= rate * mh / (sqrtf(vh) + 1e-8f);
  }
  ok[threadIdx.x] = w > 0.79f && w < 0.82f;
}
