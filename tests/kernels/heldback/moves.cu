// Data that move: copies of every width, at odd places, in other orders.
#include <cuda_fp16.h>

__global__ void set_quads(uint4* out, size_t quads, unsigned value) {
  const uint4 v = make_uint4(value, value, value, value);
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < quads;
       i += (size_t)gridDim.x * blockDim.x)
    __stcs(&out[i], v);
}

__global__ void copy_doubles(double2* out, const double2* in, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// The source begins `shift` words after a line, the target at one.
__global__ void copy_shifted(float* out, const float* in, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + shift];
}

__global__ void copy_bytes(char* out, const char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

__global__ void scale_shorts(short* data, int n, int numerator) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    data[i] = (short)(data[i] * numerator >> 4);
}

// Structures of 12 bytes.
__global__ void turn_vectors(float3* v, int n, float s, float c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 p = v[i];
  v[i] = make_float3(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

__global__ void reverse(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

__global__ void daxpy(double* y, const double* x, double a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = fma(a, x[i], y[i]);
}

// Quads of two vectors; a sum for each block.
__global__ void dot_quads(float* out, const float4* a, const float4* b, int quads) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const float4 x = a[i], y = b[i];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += part[w];
    out[blockIdx.x] = sum;
  }
}

__global__ void pack_signs(unsigned* out, const float* in, float threshold) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned votes = __ballot_sync(0xffffffffu, in[i] > threshold);
  if (threadIdx.x % 32 == 0) out[i / 32] = votes;
}

// Elements of 16 bytes from anywhere.
__global__ void gather_quads(float4* out, const float4* in, const unsigned* where, int n,
                             unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[where[i] & mask];
}

__global__ void scatter_bytes(unsigned char* out, const unsigned* where, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[where[i] & mask] = (unsigned char)i;
}

// Neighbouring windows of an image of `pitch` bytes a row, a pixel of 4 bytes each.
__global__ void crop(uchar4* out, const unsigned char* in, int width, int height, int pitch,
                     int left) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char* at = in + (size_t)y * pitch + (left + x) * 3;
  out[(size_t)y * width + x] = make_uchar4(at[0], at[1], at[2], 255);
}

// A transposition of bytes: four by four for a thread.
__global__ void transpose_bytes(uchar4* out, const uchar4* in, int words) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  uchar4 row[4];
  for (int k = 0; k < 4; ++k) row[k] = in[(size_t)(4 * y + k) * words + x];
  out[(size_t)(4 * x + 0) * words + y] = make_uchar4(row[0].x, row[1].x, row[2].x, row[3].x);
  out[(size_t)(4 * x + 1) * words + y] = make_uchar4(row[0].y, row[1].y, row[2].y, row[3].y);
  out[(size_t)(4 * x + 2) * words + y] = make_uchar4(row[0].z, row[1].z, row[2].z, row[3].z);
  out[(size_t)(4 * x + 3) * words + y] = make_uchar4(row[0].w, row[1].w, row[2].w, row[3].w);
}

// In place: pairs of tiles change places; padded or not.
#ifndef PITCH
#define PITCH 33
#endif
__global__ void transpose_in_place(double* m, int n) {
  __shared__ double a[32][PITCH], b[32][PITCH];
  if (blockIdx.x > blockIdx.y) return;
  const int x = threadIdx.x;
  const size_t ax = blockIdx.x * 32, ay = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    a[y][x] = m[(ay + y) * n + ax + x];
    b[y][x] = m[(ax + y) * n + ay + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    m[(ay + y) * n + ax + x] = b[x][y];
    m[(ax + y) * n + ay + x] = a[x][y];
  }
}

// From an array of structures of seven words to seven arrays, through shared memory.
__global__ void take_apart(float* out, const float* in, int n) {
  __shared__ float stage[7 * 128];
  const size_t base = (size_t)blockIdx.x * 128;
  for (int k = 0; k < 7; ++k) stage[k * 128 + threadIdx.x] = in[base * 7 + k * 128 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 7; ++k) out[(size_t)k * n + base + threadIdx.x] = stage[threadIdx.x * 7 + k];
}

// Every third, fifth, ... word is added to.
__global__ void add_strided(float* data, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[(size_t)i * stride] += 1.0f;
}

// A block follows one list with one thread; the others wait.
__global__ void chase_alone(unsigned* out, const unsigned* next, int steps) {
  unsigned at = blockIdx.x * 977;
  if (threadIdx.x == 0)
    for (int k = 0; k < steps; ++k) at = next[at];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
