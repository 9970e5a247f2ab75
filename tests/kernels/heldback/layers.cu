// Rows of the layers of a network, as code for inference has them.
#include <cuda_fp16.h>
#include <float.h>

constexpr unsigned kAll = 0xffffffffu;

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(kAll, v, d);
  return v;
}

__device__ float block_sum(float v) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warp_sum(v);
  __syncthreads();
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = lane < (blockDim.x + 31) / 32 ? part[lane] : 0.0f;
  return warp_sum(v);
}

// A warp per row, maximum and sum in one pass.
__global__ void softmax_warp(float* out, const float* in, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* mine = in + (size_t)row * columns;
  float most = -FLT_MAX, sum = 0;
  for (int c = lane; c < columns; c += 32) {
    const float v = mine[c], m = fmaxf(most, v);
    sum = sum * __expf(most - m) + __expf(v - m);
    most = m;
  }
  for (int d = 16; d > 0; d >>= 1) {
    const float other = __shfl_xor_sync(kAll, most, d), others = __shfl_xor_sync(kAll, sum, d);
    const float m = fmaxf(most, other);
    sum = sum * __expf(most - m) + others * __expf(other - m);
    most = m;
  }
  const float scale = 1.0f / sum;
  for (int c = lane; c < columns; c += 32)
    out[(size_t)row * columns + c] = __expf(mine[c] - most) * scale;
}

// A block per row; quads, the row read once and kept in registers.
__global__ void layer_norm(float4* out, const float4* in, const float4* gamma, const float4* beta,
                           int quads) {
  const float4* mine = in + (size_t)blockIdx.x * quads;
  float4 v = make_float4(0, 0, 0, 0);
  if (threadIdx.x < quads) v = mine[threadIdx.x];
  const float mean = block_sum(v.x + v.y + v.z + v.w) / (4 * quads);
  v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
  const float square = threadIdx.x < quads ? v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w : 0.0f;
  const float scale = rsqrtf(block_sum(square) / (4 * quads) + 1e-5f);
  if (threadIdx.x >= quads) return;
  const float4 g = gamma[threadIdx.x], b = beta[threadIdx.x];
  out[(size_t)blockIdx.x * quads + threadIdx.x] =
      make_float4(v.x * scale * g.x + b.x, v.y * scale * g.y + b.y, v.z * scale * g.z + b.z,
                  v.w * scale * g.w + b.w);
}

// Half precision; every row read twice.
__global__ void rms_norm(__half2* out, const __half2* in, const __half2* weight, int pairs) {
  const __half2* mine = in + (size_t)blockIdx.x * pairs;
  float sum = 0;
  for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
    const float2 v = __half22float2(mine[k]);
    sum += v.x * v.x + v.y * v.y;
  }
  const __half2 scale = __float2half2_rn(rsqrtf(block_sum(sum) / (2 * pairs) + 1e-6f));
  for (int k = threadIdx.x; k < pairs; k += blockDim.x)
    out[(size_t)blockIdx.x * pairs + k] = __hmul2(__hmul2(mine[k], scale), weight[k]);
}

__global__ void bias_gelu(float* data, const float* bias, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = data[i] * 0.25f + bias[i % columns];
  data[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

// One query for each head (a block): scores, softmax, the weighted sum of values; 128 elements.
__global__ void attend(float* out, const float* query, const __half2* key, const __half2* value,
                       int length) {
  extern __shared__ float score[];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, head = blockIdx.x;
  const float2 q0 = ((const float2*)query)[head * 64 + lane],
               q1 = ((const float2*)query)[head * 64 + 32 + lane];
  const __half2* keys = key + (size_t)head * length * 64;
  const __half2* values = value + (size_t)head * length * 64;
  float sum = 0;
  for (int k = warp; k < length; k += blockDim.x / 32) {
    const float2 a = __half22float2(keys[k * 64 + lane]),
                 b = __half22float2(keys[k * 64 + 32 + lane]);
    const float dot = warp_sum(q0.x * a.x + q0.y * a.y + q1.x * b.x + q1.y * b.y);
    const float weight = __expf(dot * 0.0883883f - 4.0f);
    if (lane == 0) {
      score[k] = weight;
      sum += weight;
    }
  }
  const float all = block_sum(sum);
  __syncthreads();
  if (t >= 64) return;
  float2 result = make_float2(0, 0);
  for (int k = 0; k < length; ++k) {
    const float2 v = __half22float2(values[k * 64 + t]);
    result.x += score[k] * v.x, result.y += score[k] * v.y;
  }
  ((float2*)out)[head * 64 + t] = make_float2(result.x / all, result.y / all);
}

// Rotary positions: sine and cosine of a product.
__global__ void rotate_pairs(float2* data, int pairs, int length) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (p >= pairs) return;
  float s, c;
  sincosf((row % length) * exp2f(-13.3f * p / pairs), &s, &c);
  const float2 v = data[(size_t)row * pairs + p];
  data[(size_t)row * pairs + p] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Rows of a table chosen by tokens, summed by bags of eight.
__global__ void embed_bags(float4* out, const float4* table, const unsigned* token, unsigned mask) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < 8; ++k) {
    const size_t row = token[blockIdx.x * 8 + k] & mask;
    const float4 v = table[row * blockDim.x + threadIdx.x];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
