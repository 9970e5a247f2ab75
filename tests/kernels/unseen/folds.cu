// Reductions and scans, each by another method.

// Mean and sum of squares of each row, merged as Chan does; a warp for a row.
__global__ void spread_rows(float2* out, const float* in, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float count = 0, mean = 0, square = 0;
  for (int c = lane; c < columns; c += 32) {
    const float v = in[(size_t)row * columns + c], d = v - mean;
    count += 1.0f;
    mean += d / count;
    square += d * (v - mean);
  }
  for (int step = 16; step > 0; step /= 2) {
    const float n = __shfl_xor_sync(~0u, count, step), m = __shfl_xor_sync(~0u, mean, step);
    const float s = __shfl_xor_sync(~0u, square, step), d = m - mean, all = n + count;
    if (all > 0) {
      mean += d * n / all;
      square += s + d * d * n * count / all;
    }
    count = all;
  }
  if (lane == 0) out[row] = make_float2(mean, square / count);
}

// The place of the least value: value and index packed in 64 bits, one atomic for a warp.
__global__ void least_place(unsigned long long* best, const float* in, int n) {
  unsigned long long mine = ~0ull;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bits = __float_as_uint(in[i]);
    mine = min(mine, (unsigned long long)bits << 32 | (unsigned)i);
  }
  for (int step = 16; step > 0; step /= 2) mine = min(mine, __shfl_down_sync(~0u, mine, step));
  if (threadIdx.x % 32 == 0) atomicMin(best, mine);
}

// A compensated sum in doubles; a partial sum for each block.
__global__ void careful_sum(double* out, const double* in, int n) {
  __shared__ double part[1024];
  double sum = 0, lost = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const double y = in[i] - lost, t = __dadd_rn(sum, y);
    lost = __dsub_rn(__dsub_rn(t, sum), y);
    sum = t;
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Parities and counts of bits: redux of a warp, then one atomic each.
__global__ void bits_of_all(unsigned* total, const uint4* in, int quads) {
  unsigned ones = 0, parity = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const uint4 v = in[i];
    ones += __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
    parity ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  ones = __reduce_add_sync(~0u, ones);
  parity = __reduce_xor_sync(~0u, parity);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&total[0], ones);
    atomicXor(&total[1], parity);
  }
}

// One launch for the whole sum: the block that ends last adds what the others left.
__global__ void sum_by_last(float* out, float* part, unsigned* ended, const float4* in, int quads) {
  __shared__ float warp_sum[32];
  __shared__ bool last;
  const auto block_sum = [&](float v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? warp_sum[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
      for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
    return v;
  };
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  sum = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += __ldcg(&part[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) *out = sum;
}

// A first-order recurrence y = a y + b over 4 * blockDim.x elements of a block: a scan of maps.
__global__ void recurrence(float* out, const float* a, const float* b) {
  __shared__ float2 of_warp[32];
  const size_t at = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const float4 s = *(const float4*)&a[at], t = *(const float4*)&b[at];
  float scale = s.x * s.y * s.z * s.w;
  float shift = ((t.x * s.y + t.y) * s.z + t.z) * s.w + t.w;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int step = 1; step < 32; step *= 2) {
    const float u = __shfl_up_sync(~0u, scale, step), v = __shfl_up_sync(~0u, shift, step);
    if (lane >= step) {
      shift = fmaf(v, scale, shift);
      scale *= u;
    }
  }
  if (lane == 31) of_warp[warp] = make_float2(scale, shift);
  __syncthreads();
  float y = 0;
  for (int w = 0; w < warp; ++w) y = fmaf(y, of_warp[w].x, of_warp[w].y);
  const float u = __shfl_up_sync(~0u, scale, 1), v = __shfl_up_sync(~0u, shift, 1);
  if (lane > 0) y = fmaf(y, u, v);
  float4 r;
  r.x = y = fmaf(y, s.x, t.x);
  r.y = y = fmaf(y, s.y, t.y);
  r.z = y = fmaf(y, s.z, t.z);
  r.w = fmaf(y, s.w, t.w);
  *(float4*)&out[at] = r;
}

// Running maxima that begin anew where a bit of the key says so: a warp for 32 elements.
__global__ void running_maxima(float* out, const float* in, const unsigned* key, int n) {
  const int lane = threadIdx.x % 32;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = in[i];
    const unsigned heads = __ballot_sync(~0u, (key[i] & 7) == 0) | 1;
    const int first = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
    for (int step = 1; step < 32; step *= 2) {
      const float w = __shfl_up_sync(~0u, v, step);
      if (lane - step >= first) v = fmaxf(v, w);
    }
    out[i] = v;
  }
}

// A scan of 16-bit counts, items to threads in blocks of 16, by Brent and Kung in shared memory.
__global__ void scan_shorts(unsigned short* out, const unsigned short* in) {
  __shared__ unsigned tree[512];
  const int t = threadIdx.x;
  const size_t at = ((size_t)blockIdx.x * 512 + t) * 16;
  unsigned short item[16];
  *(uint4*)item = *(const uint4*)&in[at];
  *(uint4*)(item + 8) = *(const uint4*)&in[at + 8];
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const unsigned v = item[k];
    item[k] = sum;
    sum += v;
  }
  tree[t] = sum;
  for (int step = 1; step < 512; step *= 2) {
    __syncthreads();
    const int k = (t + 1) * step * 2 - 1;
    if (k < 512) tree[k] += tree[k - step];
  }
  for (int step = 128; step > 0; step /= 2) {
    __syncthreads();
    const int k = (t + 1) * step * 2 - 1;
    if (k + step < 512) tree[k + step] += tree[k];
  }
  __syncthreads();
  const unsigned before = tree[t] - sum;
#pragma unroll
  for (int k = 0; k < 16; ++k) item[k] += before;
  *(uint4*)&out[at] = *(uint4*)item;
  *(uint4*)&out[at + 8] = *(uint4*)(item + 8);
}
