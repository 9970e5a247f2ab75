// Atomics of several kinds, hints to caches, memory of a thread's own, gathers by orders.
#include <cuda_fp16.h>

// Products of floats by compare and swap, on `places` words.
__global__ void swap_products(unsigned* product, const float* in, int n, int places) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = in[i];
  unsigned* at = &product[i % places];
  unsigned old = *at;
  for (int tries = 0; tries < 1000; ++tries) {
    const unsigned next = __float_as_uint(__uint_as_float(old) * v + 1e-3f);
    const unsigned seen = atomicCAS(at, old, next);
    if (seen == old) break;
    old = seen;
  }
}

// Quads of floats added at once to rows that hashes choose.
__global__ void add_rows(float4* sum, const float4* in, const unsigned* row, int rows, int quads,
                         unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * quads) return;
  atomicAdd(&sum[(size_t)(row[i / quads] & mask) * quads + i % quads], in[i]);
}

// Doubles added to a few words; or to words of its own for each block.
__global__ void add_doubles(double* sum, const double* in, int n, int places, int per_block) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sum[(per_block ? blockIdx.x : 0) * places + i % places], in[i]);
}

// Places for what passes a test: one atomic for a warp, then writes side by side.
__global__ void append_some(unsigned* out, unsigned* used, const unsigned* in, int n,
                            unsigned limit, unsigned mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i], votes = __ballot_sync(__activemask(), v < limit);
    if (v >= limit) continue;
    const int leader = __ffs(votes) - 1, lane = threadIdx.x % 32;
    unsigned base = 0;
    if (lane == leader) base = atomicAdd(used, __popc(votes));
    base = __shfl_sync(votes, base, leader);
    out[(base + __popc(votes & ((1u << lane) - 1))) & mask] = v;
  }
}

// Locks of bits: flags set in a bitmap of shared memory by or, given back by and; 64-bit words.
__global__ void shared_flags(unsigned* out, const unsigned* key, int each) {
  __shared__ unsigned long long flag[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) flag[i] = 0;
  __syncthreads();
  unsigned won = 0;
  for (int k = 0; k < each; ++k) {
    const unsigned h = key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x];
    const unsigned long long bit = 1ull << (h >> 8 & 63);
    if (!(atomicOr(&flag[h & 255], bit) & bit)) {
      ++won;
      atomicAnd(&flag[h & 255], ~bit);
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = won;
}

// A window of a large array read by every block again, with a hint (0: none, 1: last use, 2: L2).
__global__ void hinted_window(float* out, const float4* in, int quads, int times, int hint) {
  float sum = 0;
  for (int r = 0; r < times; ++r)
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
      const float4* at = &in[(size_t)(blockIdx.x % 16) * quads + i];
      const float4 v = hint == 0 ? *at : hint == 1 ? __ldlu(at) : __ldcg(at);
      sum += v.x + v.y + v.z + v.w;
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The next piece is asked into L2 while this one is added.
__global__ void ask_ahead(float* out, const float* in, int pieces) {
  float sum = 0;
  const float* mine = in + (size_t)blockIdx.x * pieces * 1024 + threadIdx.x;
  for (int p = 0; p < pieces; ++p) {
    if (p + 4 < pieces && threadIdx.x % 32 == 0)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(mine + (p + 4) * 1024));
    for (int k = 0; k < 4; ++k) sum += mine[p * 1024 + k * 256];
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// A queue of one's own in local memory: pushes and pops at places that data choose.
__global__ void own_heap(unsigned* out, const unsigned* in, int each, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned heap[33];
  int n = 0;
  for (int k = 0; k < each; ++k) {
    const unsigned v = in[(size_t)k * threads + t];
    if (n < 32) {
      int at = ++n;
      while (at > 1 && heap[at / 2] < v) heap[at] = heap[at / 2], at /= 2;
      heap[at] = v;
    } else if (v < heap[1]) {
      int at = 1;
      for (int child = 2; child <= 32; child = 2 * at) {
        if (child < 32 && heap[child + 1] > heap[child]) ++child;
        if (heap[child] <= v) break;
        heap[at] = heap[child], at = child;
      }
      heap[at] = v;
    }
  }
  unsigned sum = 0;
  for (int k = 1; k <= n; ++k) sum = sum * 31 + heap[k];
  out[t] = sum;
}

// A permutation of one random cycle applied to words of 4 or 16 bytes: as a gather or a scatter.
__global__ void permute_words(float* out, const float* in, const unsigned* order, int n,
                              int scatter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (scatter)
    out[order[i]] = in[i];
  else
    out[i] = in[order[i]];
}

// Structures of 48 bytes: three of twelve members are used, one written.
struct Item {
  float member[12];
};
__global__ void update_items(float* data, int n, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Item* item = (Item*)data + i;
  item->member[5] = fmaf(item->member[0], scale, item->member[9]) + 0.5f * item->member[5];
}

// Rows of a matrix rotated by their number: lines read at a shift, a multiple of 4 bytes.
__global__ void skew_rows(float* out, const float* in, int columns) {
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[(size_t)blockIdx.x * columns + c] =
        in[(size_t)blockIdx.x * columns + (c + blockIdx.x) % columns];
}

// Three dimensions in another order, x y z to z x y, through a tile or not.
#ifndef TILE
#define TILE 1
#endif
__global__ void turn_volume(float* out, const float* in, int nx, int ny, int nz) {
  const int y = blockIdx.z, tx = threadIdx.x, ty = threadIdx.y;
#if TILE
  __shared__ float tile[32][33];
  for (int k = ty; k < 32; k += 8)
    tile[k][tx] = in[((size_t)(blockIdx.y * 32 + k) * ny + y) * nx + blockIdx.x * 32 + tx];
  __syncthreads();
  for (int k = ty; k < 32; k += 8)
    out[((size_t)y * nx + blockIdx.x * 32 + k) * nz + blockIdx.y * 32 + tx] = tile[tx][k];
#else
  for (int k = ty; k < 32; k += 8)
    out[((size_t)y * nx + blockIdx.x * 32 + tx) * nz + blockIdx.y * 32 + k] =
        in[((size_t)(blockIdx.y * 32 + k) * ny + y) * nx + blockIdx.x * 32 + tx];
#endif
}
