// Means, deviations and softmax over parts of tensors.

// Mean and deviation of each channel of images by [image][channel][pixel]: a block for a channel.
__global__ void channel_moments(float2* out, const float4* in, int images, int channels,
                                int quads) {
  __shared__ float2 part[32];
  float2 sum = make_float2(0, 0);
  for (int k = 0; k < images; ++k) {
    const float4* mine = in + ((size_t)k * channels + blockIdx.x) * quads;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
      const float4 v = mine[i];
      sum.x += v.x + v.y + v.z + v.w;
      sum.y += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
  }
  for (int s = 16; s > 0; s /= 2) {
    sum.x += __shfl_xor_sync(~0u, sum.x, s);
    sum.y += __shfl_xor_sync(~0u, sum.y, s);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w) sum.x += part[w].x, sum.y += part[w].y;
  const float n = 4.0f * images * quads, mean = sum.x / n;
  out[blockIdx.x] = make_float2(mean, rsqrtf(sum.y / n - mean * mean + 1e-5f));
}

// Softmax of long rows: maximum and sum in one pass, then the row once more.
__global__ void online_softmax(float* out, const float* in, int columns) {
  __shared__ float2 part[32];
  const float* mine = in + (size_t)blockIdx.x * columns;
  float m = -1e30f, l = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    const float v = mine[c];
    if (v > m) l *= __expf(m - v), m = v;
    l += __expf(v - m);
  }
  for (int s = 16; s > 0; s /= 2) {
    const float om = __shfl_xor_sync(~0u, m, s), ol = __shfl_xor_sync(~0u, l, s);
    const float top = fmaxf(m, om);
    l = l * __expf(m - top) + ol * __expf(om - top), m = top;
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(m, l);
  __syncthreads();
  float top = -1e30f, all = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) top = fmaxf(top, part[w].x);
  for (int w = 0; w < blockDim.x / 32; ++w) all += part[w].y * __expf(part[w].x - top);
  const float inverse = 1 / all;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[(size_t)blockIdx.x * columns + c] = __expf(mine[c] - top) * inverse;
}
