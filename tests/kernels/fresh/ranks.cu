// Orders.

// Ranks of four bits: lanes of one digit find each other by a match, warps add in shared memory;
// then the block's keys are written in order.
__global__ void __launch_bounds__(256) order_digits(unsigned* out, const unsigned* in, int shift) {
  __shared__ unsigned count[8][16], key[1024];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t < 128) count[t / 16][t % 16] = 0;
  __syncthreads();
  const size_t base = (size_t)blockIdx.x * 1024 + warp * 128;
  unsigned v[4], rank[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    v[k] = in[base + k * 32 + lane];
    const unsigned d = v[k] >> shift & 15, same = __match_any_sync(~0u, d);
    const unsigned before = count[warp][d];
    rank[k] = before + __popc(same & ((1u << lane) - 1));
    __syncwarp();
    if (rank[k] == before) count[warp][d] = before + __popc(same);
    __syncwarp();
  }
  __syncthreads();
  if (t < 32) {
    unsigned sum = 0;
    if (t < 16)
      for (int w = 0; w < 8; ++w) {
        const unsigned c = count[w][t];
        count[w][t] = sum, sum += c;
      }
    unsigned before = sum;
    for (int s = 1; s < 16; s *= 2) {
      const unsigned other = __shfl_up_sync(~0u, before, s);
      if (t >= s) before += other;
    }
    before -= sum;
    if (t < 16)
      for (int w = 0; w < 8; ++w) count[w][t] += before;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) key[count[warp][v[k] >> shift & 15] + rank[k]] = v[k];
  __syncthreads();
  for (int i = t; i < 1024; i += 256) out[(size_t)blockIdx.x * 1024 + i] = key[i];
}

// Keys of 64 bits with a payload in order, 64 of a warp, two a lane: a bitonic network of
// exchanges.
__global__ void order_pairs(ulonglong2* out, const ulonglong2* in) {
  const int lane = threadIdx.x % 32;
  const size_t base = (size_t)((blockIdx.x * blockDim.x + threadIdx.x) / 32) * 64;
  ulonglong2 v[2] = {in[base + lane], in[base + 32 + lane]};
#pragma unroll
  for (int size = 2; size <= 64; size *= 2)
#pragma unroll
    for (int s = size / 2; s > 0; s /= 2) {
      if (s == 32) {
        if (v[0].x > v[1].x) {
          const ulonglong2 other = v[0];
          v[0] = v[1], v[1] = other;
        }
        continue;
      }
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const unsigned long long x = __shfl_xor_sync(~0u, v[k].x, s),
                                 y = __shfl_xor_sync(~0u, v[k].y, s);
        const bool up = ((lane + 32 * k) & size) == 0, lower = (lane & s) == 0;
        if ((v[k].x > x) == (up == lower) && v[k].x != x) v[k].x = x, v[k].y = y;
      }
    }
  out[base + lane] = v[0], out[base + 32 + lane] = v[1];
}

// The k-th smallest of each row: four rounds of counts of a byte in shared memory.
__global__ void select_kth(unsigned* out, const unsigned* in, int columns, int k) {
  __shared__ unsigned count[256], prefix, left;
  const unsigned* mine = in + (size_t)blockIdx.x * columns;
  if (threadIdx.x == 0) prefix = 0, left = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) count[i] = 0;
    __syncthreads();
    const unsigned wanted = prefix;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      const unsigned v = mine[c];
      if (shift == 24 || v >> (shift + 8) == wanted) atomicAdd(&count[v >> shift & 255], 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned rest = left;
      int d = 0;
      for (; d < 255 && rest >= count[d]; ++d) rest -= count[d];
      left = rest, prefix = wanted << 8 | d;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = prefix;
}
