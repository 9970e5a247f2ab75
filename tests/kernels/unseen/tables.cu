// Hash tables, histograms, trees and sets.

__device__ inline unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  return x * 0x846ca68bu;
}

// Two places for a key, buckets of four words each: a thread looks at both.
__global__ void cuckoo_find(unsigned* out, const uint4* bucket, const unsigned* key, int n,
                            unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned k = key[i], first = mix(k) & mask, second = mix(k ^ 0x5bd1e995u) & mask;
  const uint4 a = __ldg(&bucket[first]), b = __ldg(&bucket[second]);
  unsigned found = ~0u;
  if (a.x == k || a.y == k || a.z == k || a.w == k) found = first;
  if (b.x == k || b.y == k || b.z == k || b.w == k) found = second;
  out[i] = found;
}

// A bucket of 32 words for a key, a warp for the bucket: eight keys of a warp in turn.
__global__ void warp_buckets(unsigned char* out, const unsigned* bucket, const unsigned* key,
                             unsigned mask) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int j = 0; j < 8; ++j) {
    const unsigned k = key[warp * 8 + j];
    const unsigned word = bucket[(size_t)(mix(k) & mask) * 32 + lane];
    const bool found = __any_sync(~0u, word == k);
    if (lane == j) out[warp * 8 + j] = found;
  }
}

// Pairs of bytes counted in 64 x 64 cells of 16 bits, two to a word of shared memory.
__global__ void joint_counts(unsigned* out, const uchar4* a, const uchar4* b, int quads) {
  __shared__ unsigned cell[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) cell[i] = 0;
  __syncthreads();
  const auto count = [&](unsigned char p, unsigned char q) {
    const int at = (p >> 2) * 64 + (q >> 2);
    atomicAdd(&cell[at / 2], at % 2 ? 0x10000u : 1u);
  };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const uchar4 p = a[i], q = b[i];
    count(p.x, q.x), count(p.y, q.y), count(p.z, q.z), count(p.w, q.w);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
    if (cell[i] & 0xffff) atomicAdd(&out[2 * i], cell[i] & 0xffff);
    if (cell[i] >> 16) atomicAdd(&out[2 * i + 1], cell[i] >> 16);
  }
}

// 64 bins of bytes for each thread, without atomics; columns are added at the end.
__global__ void own_counters(unsigned* out, const unsigned char* in, int each) {
  __shared__ unsigned char own[64][128];
  const int t = threadIdx.x;
  for (int b = 0; b < 64; ++b) own[b][t] = 0;
  const unsigned char* mine = in + (size_t)blockIdx.x * each * 128 + t;
  for (int i = 0; i < each; ++i) ++own[mine[i * 128] >> 2][t];
  __syncthreads();
  if (t < 64) {
    unsigned sum = 0;
    for (int i = 0; i < 128; i += 4) {
      const uchar4 v = *(const uchar4*)&own[t][i];
      sum += v.x + v.y + v.z + v.w;
    }
    atomicAdd(&out[t], sum);
  }
}

// Search in a tree of nodes of 32 keys, a warp for a key; the index itself makes the tree.
__global__ void wide_tree(unsigned* out, const unsigned* level0, const unsigned* level1,
                          const unsigned* level2, const unsigned* key, int each) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int j = 0; j < each; ++j) {
    const unsigned k = key[warp * each + j] & 1048575u;
    const unsigned a = __popc(__ballot_sync(~0u, level0[lane] * 32768u <= k)) - 1;
    const unsigned b = a * 32 + __popc(__ballot_sync(~0u, level1[a * 32 + lane] * 1024u <= k)) - 1;
    const unsigned c = b * 32 + __popc(__ballot_sync(~0u, level2[b * 32 + lane] * 32u <= k)) - 1;
    if (lane == 0) out[warp * each + j] = c;
  }
}

// Sums by key, first in a table of the block, then in all memory: as a database does it.
__global__ void group_sums(unsigned* sum, const unsigned* key, const unsigned* value, int n,
                           unsigned groups) {
  __shared__ unsigned name[1024], part[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) name[i] = ~0u, part[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned k = key[i] % groups, v = value[i] & 255;
    unsigned at = mix(k) & 1023;
    bool done = false;
    for (int tries = 0; tries < 4 && !done; ++tries, at = (at + 1) & 1023) {
      const unsigned old = atomicCAS(&name[at], ~0u, k);
      if (old == ~0u || old == k) {
        atomicAdd(&part[at], v);
        done = true;
      }
    }
    if (!done) atomicAdd(&sum[k], v);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    if (name[i] != ~0u) atomicAdd(&sum[name[i]], part[i]);
}

// Members of one sorted list that another has, by bisection from the middle of shared steps.
__global__ void intersect_lists(unsigned* count, const unsigned* a, const unsigned* b, int n,
                                int m) {
  __shared__ unsigned step[64];
  if (threadIdx.x < 64) step[threadIdx.x] = b[(long long)threadIdx.x * m / 64];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (i < n) {
    const unsigned k = a[i];
    int low = 0;
    for (int s = 32; s > 0; s /= 2)
      if (step[low + s] <= k) low += s;
    int begin = (long long)low * m / 64, end = (long long)(low + 1) * m / 64;
    while (begin < end) {
      const int middle = (begin + end) / 2;
      if (b[middle] < k)
        begin = middle + 1;
      else
        end = middle;
    }
    found = begin < m && b[begin] == k;
  }
  const int all = __syncthreads_count(found);
  if (threadIdx.x == 0 && all > 0) atomicAdd(count, all);
}

// Ranks in a vector of bits: a count every 512 bits, the rest by popc of 64-bit words.
__global__ void rank_bits(unsigned* out, const unsigned long long* bits, const unsigned* before,
                          const unsigned* position, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned at = position[i] & mask, line = at / 512;
  unsigned rank = before[line];
  for (unsigned w = line * 8; w < at / 64; ++w) rank += __popcll(bits[w]);
  out[i] = rank + __popcll(bits[at / 64] & ((1ull << at % 64) - 1));
}
