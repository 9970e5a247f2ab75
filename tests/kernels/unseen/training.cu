// Steps of training and serving of networks: rows, attention, optimizers, quantization.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ inline float all_of_block(float v, float* part, bool maximum) {
  for (int step = 16; step > 0; step /= 2) {
    const float w = __shfl_xor_sync(~0u, v, step);
    v = maximum ? fmaxf(v, w) : v + w;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int w = 1; w < blockDim.x / 32; ++w) v = maximum ? fmaxf(v, part[w]) : v + part[w];
  return v;
}

// The loss of a row and its gradient: one reading with a running maximum, and one more.
__global__ void cross_entropy(float* loss, __half* gradient, const __half* logits,
                              const unsigned* target, int columns) {
  __shared__ float part[32];
  const __half* row = logits + (size_t)blockIdx.x * columns;
  float top = -1e30f, sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = __half2float(row[c]);
    if (v > top) {
      sum = sum * __expf(top - v) + 1.0f;
      top = v;
    } else {
      sum += __expf(v - top);
    }
  }
  const float most = all_of_block(top, part, true);
  const float total = all_of_block(sum * __expf(top - most), part, false);
  const unsigned wanted = target[blockIdx.x] % columns;
  if (threadIdx.x == 0) loss[blockIdx.x] = most + logf(total) - __half2float(row[wanted]);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float p = __expf(__half2float(row[c]) - most) / total;
    gradient[(size_t)blockIdx.x * columns + c] = __float2half(p - (c == wanted ? 1.0f : 0.0f));
  }
}

// Attention of 32 queries of 64 in floats: tiles of 32 keys go through shared memory.
__global__ void __launch_bounds__(128)
    attention_tiles(float* out, const float* query, const float* key, const float* value,
                    int length) {
  __shared__ float q[32][65], k[32][65], v[32][64], p[32][33];
  const int t = threadIdx.x, row = t / 4, part = t % 4;
  const size_t head = (size_t)blockIdx.y * length * 64;
  for (int i = t; i < 2048; i += 128) q[i / 64][i % 64] = query[head + blockIdx.x * 2048 + i];
  float sum[16] = {}, top = -1e30f, weight = 0;
  for (int tile = 0; tile < length; tile += 32) {
    __syncthreads();
    for (int i = t; i < 2048; i += 128) {
      k[i / 64][i % 64] = key[head + tile * 64 + i];
      v[i / 64][i % 64] = value[head + tile * 64 + i];
    }
    __syncthreads();
    float score[8], most = top;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float dot = 0;
#pragma unroll 16
      for (int d = 0; d < 64; ++d) dot += q[row][d] * k[part + 4 * j][d];
      score[j] = dot * 0.125f;
      most = fmaxf(most, score[j]);
    }
    most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
    most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
    const float shrink = __expf(top - most);
    top = most;
    weight *= shrink;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float e = __expf(score[j] - most);
      weight += e;
      p[row][part + 4 * j] = e;
    }
    __syncwarp();
#pragma unroll
    for (int d = 0; d < 16; ++d) sum[d] *= shrink;
    for (int j = 0; j < 32; ++j) {
      const float e = p[row][j];
#pragma unroll
      for (int d = 0; d < 16; ++d) sum[d] += e * v[j][part + 4 * d];
    }
  }
  weight += __shfl_xor_sync(~0u, weight, 1);
  weight += __shfl_xor_sync(~0u, weight, 2);
#pragma unroll
  for (int d = 0; d < 16; ++d)
    out[head + (blockIdx.x * 32 + row) * 64 + part + 4 * d] = sum[d] / weight;
}

// Groups of channels normalized in pictures of channels last; a block for a group of a picture.
__global__ void group_norm(__half2* out, const __half2* in, int pixels, int channels2, int group2) {
  __shared__ float part[32];
  const int groups = channels2 / group2;
  const size_t base =
      (size_t)(blockIdx.x / groups) * pixels * channels2 + blockIdx.x % groups * group2;
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < pixels * group2; i += blockDim.x) {
    const float2 v = __half22float2(in[base + (size_t)(i / group2) * channels2 + i % group2]);
    sum += v.x + v.y;
    square += v.x * v.x + v.y * v.y;
  }
  const float n = 2.0f * pixels * group2;
  const float mean = all_of_block(sum, part, false) / n;
  const float scale = rsqrtf(all_of_block(square, part, false) / n - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < pixels * group2; i += blockDim.x) {
    const size_t at = base + (size_t)(i / group2) * channels2 + i % group2;
    const float2 v = __half22float2(in[at]);
    out[at] = __floats2half2_rn((v.x - mean) * scale, (v.y - mean) * scale);
  }
}

// Rows to bytes of e4m3 with a scale each.
__global__ void to_fp8(unsigned* out, float* scale, const float4* in, int quads) {
  __shared__ float part[32];
  const float4* row = in + (size_t)blockIdx.x * quads;
  float most = 1e-6f;
  for (int c = threadIdx.x; c < quads; c += blockDim.x) {
    const float4 v = row[c];
    most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  most = all_of_block(most, part, true);
  const float s = 448.0f / most;
  if (threadIdx.x == 0) scale[blockIdx.x] = most / 448.0f;
  for (int c = threadIdx.x; c < quads; c += blockDim.x) {
    const float4 v = row[c];
    const unsigned low =
        __nv_cvt_float2_to_fp8x2(make_float2(v.x * s, v.y * s), __NV_SATFINITE, __NV_E4M3);
    const unsigned high =
        __nv_cvt_float2_to_fp8x2(make_float2(v.z * s, v.w * s), __NV_SATFINITE, __NV_E4M3);
    out[(size_t)blockIdx.x * quads + c] = low | high << 16;
  }
}

// A step of Adam over four arrays, weights also in halves.
__global__ void adam(float* weight, float* first, float* second, __half* copy,
                     const __half* gradient, int n, float rate, float decay) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float g = __half2float(gradient[i]);
    const float m = 0.9f * first[i] + 0.1f * g, v = 0.999f * second[i] + 0.001f * g * g;
    first[i] = m;
    second[i] = v;
    const float w = weight[i] - rate * (m / (sqrtf(v) + 1e-8f) + decay * weight[i]);
    weight[i] = w;
    copy[i] = __float2half(w);
  }
}

// Gradients of a scale: columns summed over rows, a strip of rows for a block, then atomics.
__global__ void column_gradients(float* gradient, const float* in, const float* upstream, int rows,
                                 int columns) {
  __shared__ float part[8][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int r = blockIdx.y * 8 + threadIdx.y; r < rows; r += gridDim.y * 8)
    sum += in[(size_t)r * columns + x] * upstream[(size_t)r * columns + x];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int k = 1; k < 8; ++k) sum += part[k][threadIdx.x];
  atomicAdd(&gradient[x], sum);
}

// The two best of 64 experts for each token, by a warp; places in their queues by atomics.
__global__ void choose_experts(uint2* choice, unsigned* queue, const float* score, int tokens) {
  const int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (token >= tokens) return;
  float a = score[(size_t)token * 64 + lane], b = score[(size_t)token * 64 + 32 + lane];
  unsigned best[2];
  for (int k = 0; k < 2; ++k) {
    const unsigned key =
        max(__float_as_uint(a) & ~63u | lane, __float_as_uint(b) & ~63u | lane + 32);
    best[k] = __reduce_max_sync(~0u, key) & 63;
    if (best[k] == lane) a = 0;
    if (best[k] == lane + 32) b = 0;
  }
  if (lane < 2) {
    const unsigned place = atomicAdd(&queue[best[lane]], 1u);
    ((unsigned*)choice)[token * 2 + lane] = best[lane] << 24 | place & 0xffffff;
  }
}

// Dropout, residual, and the mask in bits: counters of Philox as random numbers, seven rounds.
__global__ void drop_and_add(__half2* out, unsigned* mask, const __half2* in, const __half2* rest,
                             int pairs, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  unsigned x = i, y = seed, key = 0x1234567u;
  for (int round = 0; round < 7; ++round) {
    const unsigned high = __umulhi(x, 0xD256D193u), low = x * 0xD256D193u;
    x = high ^ key ^ y;
    y = low;
    key += 0x9E3779B9u;
  }
  const bool first = x > 0x1999999au, second = y > 0x1999999au;
  const float2 v = __half22float2(in[i]), r = __half22float2(rest[i]);
  out[i] = __floats2half2_rn((first ? v.x * 1.1111f : 0.0f) + r.x,
                             (second ? v.y * 1.1111f : 0.0f) + r.y);
  const unsigned bits = __ballot_sync(__activemask(), first);
  if (i % 32 == 0) mask[i / 32] = bits;
}
