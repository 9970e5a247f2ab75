// Attention of one token at a time.
#include <cuda_fp16.h>

// A head's query against a part of its keys: four warps, heads of 128 halves, values weighted on
// the way. Parts write sums that another kernel would join.
__global__ void decode_part(float* out, float2* scale, const __half2* query, const __half2* key,
                            const __half2* value, int length, int part) {
  __shared__ float most[4], total[4], sum[4][128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = blockIdx.x;
  const __half2 q0 = query[head * 64 + lane * 2], q1 = query[head * 64 + lane * 2 + 1];
  const float2 a = __half22float2(q0), b = __half22float2(q1);
  float m = -1e30f, l = 0, v[4] = {};
  const int begin = blockIdx.y * part, end = min(length, begin + part);
  for (int p = begin + warp; p < end; p += 4) {
    const size_t at = ((size_t)head * length + p) * 64 + lane * 2;
    const uint2 kk = *(const uint2*)&key[at], vv = *(const uint2*)&value[at];
    const float2 k0 = __half22float2(*(const __half2*)&kk.x),
                 k1 = __half22float2(*(const __half2*)&kk.y);
    float s = a.x * k0.x + a.y * k0.y + b.x * k1.x + b.y * k1.y;
    for (int step = 16; step > 0; step /= 2) s += __shfl_xor_sync(~0u, s, step);
    s *= 0.0883883f;
    const float next = fmaxf(m, s), keep = __expf(m - next), weight = __expf(s - next);
    const float2 v0 = __half22float2(*(const __half2*)&vv.x),
                 v1 = __half22float2(*(const __half2*)&vv.y);
    l = l * keep + weight;
    v[0] = v[0] * keep + weight * v0.x, v[1] = v[1] * keep + weight * v0.y;
    v[2] = v[2] * keep + weight * v1.x, v[3] = v[3] * keep + weight * v1.y;
    m = next;
  }
  if (lane == 0) most[warp] = m, total[warp] = l;
  for (int k = 0; k < 4; ++k) sum[warp][lane * 4 + k] = v[k];
  __syncthreads();
  const float top = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
  float all = 0, mine = 0;
  for (int w = 0; w < 4; ++w) {
    const float factor = __expf(most[w] - top);
    all += total[w] * factor;
    mine += sum[w][threadIdx.x] * factor;
  }
  const int slot = head * gridDim.y + blockIdx.y;
  out[slot * 128 + threadIdx.x] = mine;
  if (threadIdx.x == 0) scale[slot] = make_float2(top, all);
}

// Softmax of rows of a triangle: row r has r + 1 entries, the rest is set to zero.
__global__ void causal_softmax(__half* score, int side) {
  __shared__ float part[32];
  const int row = blockIdx.x % side, t = threadIdx.x, warps = blockDim.x / 32;
  __half* mine = score + (size_t)blockIdx.x * side;
  float sum = 0;
  for (int c = t; c <= row; c += blockDim.x) sum += __expf(__half2float(mine[c]));
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < warps; ++w) sum += part[w];
  const float inverse = 1 / sum;
  for (int c = t; c < side; c += blockDim.x)
    mine[c] = __float2half(c <= row ? __expf(__half2float(mine[c])) * inverse : 0.0f);
}
