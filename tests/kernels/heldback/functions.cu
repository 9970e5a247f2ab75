// Functions of the mathematical library, precise and fast, and long integers.
#include <cuda_fp16.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void sines(float* out, const float* in, int rounds) {
  float x = in[INDEX], sum = 0;
  for (int k = 0; k < rounds; ++k) sum += sinf(x + k);
  out[INDEX] = sum;
}

// Arguments above 100,000 take the slow reduction.
__global__ void far_sines(float* out, const float* in, int rounds) {
  float x = in[INDEX], sum = 0;
  for (int k = 0; k < rounds; ++k) sum += sinf(x * 200000.0f + 110000.0f * k);
  out[INDEX] = sum;
}

__global__ void fast_functions(float* out, const float* in, int rounds) {
  float x = in[INDEX] + 0.5f, sum = 0;
  for (int k = 0; k < rounds; ++k) {
    sum += __sinf(x) * __expf(-x) + __fdividef(1.0f, x);
    x += 0.01f;
  }
  out[INDEX] = sum;
}

__global__ void powers(float* out, const float* in, float exponent, int rounds) {
  float x = in[INDEX] + 0.5f;
  for (int k = 0; k < rounds; ++k) x = powf(x, exponent) + 0.25f;
  out[INDEX] = x;
}

__global__ void normal_tails(double* out, const double* in, int rounds) {
  double x = in[INDEX], sum = 0;
  for (int k = 0; k < rounds; ++k) sum += erfc(x + 0.125 * k);
  out[INDEX] = sum;
}

__global__ void double_waves(double* out, const double* in, int rounds) {
  double x = in[INDEX], sum = 0;
  for (int k = 0; k < rounds; ++k) sum += exp(-0.01 * k * x) * cos(x * k);
  out[INDEX] = sum;
}

__global__ void half_sigmoids(__half2* out, const __half2* in, int rounds) {
  __half2 x = in[INDEX];
  const __half2 one = __float2half2_rn(1.0f);
  for (int k = 0; k < rounds; ++k) x = __h2div(one, __hadd2(one, h2exp(__hneg2(x))));
  out[INDEX] = x;
}

__global__ void roots(float* out, const float* in, int rounds) {
  float x = in[INDEX] + 1.0f;
  for (int k = 0; k < rounds; ++k) x = sqrtf(x) + 1.0f / (x + 2.0f);
  out[INDEX] = x;
}

// Powers modulo a number of 64 bits, by remainders.
__global__ void modular_powers(unsigned long long* out, const unsigned long long* in,
                               unsigned long long modulus, unsigned exponent) {
  unsigned long long base = in[INDEX] % modulus, result = 1;
  for (unsigned e = exponent; e != 0; e >>= 1) {
    if (e & 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  out[INDEX] = result;
}

// Numbers of 256 bits: products by rows with carries.
__global__ void wide_products(unsigned* out, const unsigned* a, const unsigned* b, int n) {
  const int i = INDEX;
  unsigned x[8], y[8], r[16] = {};
  for (int k = 0; k < 8; ++k) x[k] = a[k * n + i], y[k] = b[k * n + i];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    unsigned carry = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const unsigned long long t = (unsigned long long)x[k] * y[j] + r[j + k] + carry;
      r[j + k] = (unsigned)t;
      carry = t >> 32;
    }
    r[j + 8] = carry;
  }
  for (int k = 0; k < 16; ++k) out[k * n + i] = r[k];
}

// Steps of Collatz: trip counts by data, 64 bits.
__global__ void collatz(int* out, unsigned long long from) {
  unsigned long long n = from + INDEX;
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n >> 1;
    ++steps;
  }
  out[INDEX] = steps;
}

// A fractal by Newton's method: complex divisions, ends by data.
__global__ void newton(unsigned char* out, int width, int height, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = 4.0f * px / width - 2.0f, y = 4.0f * py / height - 2.0f;
  int k = 0;
  for (; k < most; ++k) {
    const float xx = x * x - y * y, xy = 2 * x * y;
    const float re = x * xx - y * xy - 1, im = x * xy + y * xx;
    if (re * re + im * im < 1e-6f) break;
    const float d = 3 * (xx * xx + xy * xy);
    x -= (re * xx + im * xy) / d;
    y -= (im * xx - re * xy) / d;
  }
  out[(size_t)py * width + px] = k;
}
