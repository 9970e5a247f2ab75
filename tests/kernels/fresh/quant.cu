// Numbers of few bits.
#include <cuda_fp16.h>

// A matrix of signed bytes times a vector of bytes: a warp for a row, four products an instruction.
__global__ void dot_bytes(float* out, const int4* weight, const int4* x, const float* scale,
                          int rows, int quads) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int sum = 0;
  for (int q = lane; q < quads; q += 32) {
    const int4 w = weight[(size_t)row * quads + q], v = __ldg(&x[q]);
    sum = __dp4a(w.x, v.x, sum), sum = __dp4a(w.y, v.y, sum);
    sum = __dp4a(w.z, v.z, sum), sum = __dp4a(w.w, v.w, sum);
  }
  sum = __reduce_add_sync(~0u, sum);
  if (lane == 0) out[row] = sum * scale[row];
}

// Blocks of 32 floats to bytes with a shared power of two: eight lanes find the largest.
__global__ void share_exponents(unsigned* out, unsigned char* exponent, const float4* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = i < n ? in[i] : make_float4(0, 0, 0, 0);
  float most = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
  for (int s = 1; s < 8; s *= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  const unsigned e = __float_as_uint(most) >> 23;
  const float factor = __uint_as_float((260 - e) << 23);
  if (i >= n) return;
  const int a = __float2int_rn(v.x * factor), b = __float2int_rn(v.y * factor),
            c = __float2int_rn(v.z * factor), d = __float2int_rn(v.w * factor);
  out[i] = (a & 255) | (b & 255) << 8 | (c & 255) << 16 | (unsigned)d << 24;
  if (threadIdx.x % 8 == 0) exponent[i / 8] = e;
}

// Four-bit weights in columns of their own scale and zero to halves: 16 bytes written a thread.
__global__ void widen_nibbles(uint4* out, const unsigned* in, const float* scale, const float* zero,
                              int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i];
  const float s = scale[i % columns], z = zero[i % columns];
  unsigned pair[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const __half2 h =
        __floats2half2_rn(((v >> 8 * k & 15) - z) * s, ((v >> (8 * k + 4) & 15) - z) * s);
    pair[k] = *(const unsigned*)&h;
  }
  out[i] = make_uint4(pair[0], pair[1], pair[2], pair[3]);
}
