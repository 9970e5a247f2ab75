// Counters and sums that many threads change.
#include <cuda_fp16.h>

// Bins by leading zeros: each is half as likely as the one before.
__global__ void skewed_global(unsigned* bins, const unsigned* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[__clz(data[i])], 1u);
}

__global__ void skewed_shared(unsigned* bins, const uint4* data, int quads) {
  __shared__ unsigned own[33];
  if (threadIdx.x < 33) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const uint4 v = data[i];
    atomicAdd(&own[__clz(v.x)], 1u);
    atomicAdd(&own[__clz(v.y)], 1u);
    atomicAdd(&own[__clz(v.z)], 1u);
    atomicAdd(&own[__clz(v.w)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 33) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// One lane adds for all lanes of its bin.
__global__ void skewed_matched(unsigned* bins, const unsigned* data, int n) {
  const int lane = threadIdx.x % 32;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = __clz(data[i]);
    const unsigned peers = __match_any_sync(0xffffffffu, bin);
    if (lane == __ffs(peers) - 1) atomicAdd(&bins[bin], __popc(peers));
  }
}

// Colours of 4 bits a channel: 4096 bins, in shared memory or not.
__global__ void count_colours(unsigned* bins, const uchar4* pixel, int n) {
  extern __shared__ unsigned own[];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 p = pixel[i];
    atomicAdd(&own[(p.x >> 4) << 8 | (p.y >> 4) << 4 | p.z >> 4], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    if (own[i] != 0) atomicAdd(&bins[i], own[i]);
}

__global__ void largest_each(unsigned long long* best, const unsigned* value, int n,
                             unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = value[i];
  atomicMax(&best[(v * 2654435761u >> 8) & mask], (unsigned long long)v << 32 | i);
}

__global__ void deposit_charge(double* grid, const float2* particle, int n, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = particle[i];
  const int x = (int)(p.x * (side - 1)), y = (int)(p.y * (side - 1));
  const float ax = p.x * (side - 1) - x, ay = p.y * (side - 1) - y;
  double* at = grid + (size_t)y * side + x;
  atomicAdd(at, (1 - ax) * (1 - ay));
  atomicAdd(at + 1, ax * (1 - ay));
  atomicAdd(at + side, (1 - ax) * ay);
  atomicAdd(at + side + 1, ax * ay);
}

// The largest float of a block by compare and swap in shared memory.
__global__ void largest_by_swap(float* out, const float* in, int n) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = in[i];
    int seen = best;
    while (__int_as_float(seen) < v) {
      const int was = atomicCAS(&best, seen, __float_as_int(v));
      if (was == seen) break;
      seen = was;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = __int_as_float(best);
}

__global__ void add_halves(__half2* sum, const __half2* in, int n, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sum[i % columns], in[i]);
}

// Work of unequal size, fetched from a counter by blocks that stay. The last block clears it.
__global__ void fetch_work(float* out, unsigned* counter, int items) {
  __shared__ unsigned item;
  float x = threadIdx.x;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) item = atomicAdd(&counter[0], 1u);
    __syncthreads();
    if (item >= items) break;
    const int rounds = 64 + (item * 2654435761u >> 22);
    for (int k = 0; k < rounds; ++k) x = fmaf(x, 0.999f, 0.5f);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
  if (threadIdx.x == 0 && atomicAdd(&counter[1], 1u) == gridDim.x - 1)
    counter[0] = 0, counter[1] = 0;
}
