// Sorts, selections, prefixes.
constexpr unsigned kAll = 0xffffffffu;

// 32 keys of a warp, by shuffles.
__global__ void sort_lanes(unsigned* data) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  unsigned v = data[i];
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      const unsigned other = __shfl_xor_sync(kAll, v, j);
      const bool up = (lane & k) == 0, low = (lane & j) == 0;
      v = up == low ? min(v, other) : max(v, other);
    }
  data[i] = v;
}

// Batcher's odd-even merge sort of 2 * blockDim.x pairs of key and value.
__global__ void sort_pairs(unsigned* key, unsigned* value) {
  extern __shared__ unsigned keys[];
  const int n = 2 * blockDim.x, t = threadIdx.x;
  unsigned* values = keys + n;
  const size_t base = (size_t)blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) keys[i] = key[base + i], values[i] = value[base + i];
  for (int size = 2; size <= n; size *= 2) {
    int offset = t & (size / 2 - 1);
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int at = 2 * t - (t & (stride - 1));
      int a = at, b = at + stride;
      bool compare = true;
      if (stride != size / 2) {
        compare = offset >= stride;
        a = at - stride, b = at;
      }
      if (compare && keys[a] > keys[b]) {
        const unsigned k = keys[a], v = values[a];
        keys[a] = keys[b], values[a] = values[b];
        keys[b] = k, values[b] = v;
      }
    }
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) key[base + i] = keys[i], value[base + i] = values[i];
}

// Digits of four bits: a count for each thread and digit, then sums of a block.
__global__ void count_radix(unsigned* count, const unsigned* key, int shift, int per_thread) {
  __shared__ unsigned short mine[16][256];
  const int t = threadIdx.x;
  for (int d = 0; d < 16; ++d) mine[d][t] = 0;
  const size_t base = (size_t)blockIdx.x * blockDim.x * per_thread;
  for (int k = 0; k < per_thread; ++k)
    ++mine[key[base + (size_t)k * blockDim.x + t] >> shift & 15][t];
  __syncthreads();
  for (int width = 128; width > 0; width /= 2) {
    if (t < width)
      for (int d = 0; d < 16; ++d) mine[d][t] += mine[d][t + width];
    __syncthreads();
  }
  if (t < 16) count[t * gridDim.x + blockIdx.x] = mine[t][0];
}

// Each key to its place among those of its digit, ranks by votes of a warp.
__global__ void scatter_radix(unsigned* out, const unsigned* key, int shift, unsigned mask) {
  const int lane = threadIdx.x % 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned k = key[i], digit = k >> shift & 15;
  const unsigned peers = __match_any_sync(kAll, digit);
  const unsigned rank = __popc(peers & ((1u << lane) - 1));
  out[(digit * ((mask + 1) / 16) + (i / 32 * 2 + rank)) & mask] = k;
}

// Two sorted lists, eight results for each thread: a search for where to begin.
__global__ void merge_lists(int* out, const int* a, const int* b, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, diagonal = t * 8;
  int low = max(0, diagonal - n), high = min(diagonal, n);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = 0; k < 8; ++k) {
    const bool first = j >= n || (i < n && a[i] <= b[j]);
    out[diagonal + k] = first ? a[i++] : b[j++];
  }
}

// The eight largest of what a thread reads, inserted into registers.
__global__ void largest_eight(float* out, const float* in, int n) {
  float best[8];
  for (int k = 0; k < 8; ++k) best[k] = -1.0f;
  const int threads = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = id; i < n; i += threads) {
    float v = in[i];
    if (v <= best[7]) continue;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float low = fminf(best[k], v);
      best[k] = fmaxf(best[k], v);
      v = low;
    }
  }
  for (int k = 0; k < 8; ++k) out[(size_t)k * threads + id] = best[k];
}

// Insertion sort of 24 numbers of a thread, in local memory.
__global__ void sort_own(float* out, const float* in, int threads) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float own[24];
  for (int k = 0; k < 24; ++k) {
    const float v = in[(size_t)k * threads + id];
    int j = k;
    for (; j > 0 && own[j - 1] > v; --j) own[j] = own[j - 1];
    own[j] = v;
  }
  for (int k = 0; k < 24; ++k) out[(size_t)k * threads + id] = own[k];
}

// What is kept moves together: ballots, sums of warps, one atomic for each block.
__global__ void keep_below(unsigned* out, unsigned* total, const unsigned* in, int n,
                           unsigned limit, unsigned mask) {
  __shared__ unsigned warps[32], base;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32;
  const unsigned v = i < n ? in[i] : ~0u;
  const unsigned votes = __ballot_sync(kAll, v < limit);
  if (lane == 0) warps[warp] = __popc(votes);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
      const unsigned count = warps[w];
      warps[w] = sum;
      sum += count;
    }
    base = atomicAdd(total, sum);
  }
  __syncthreads();
  if (v < limit) out[(base + warps[warp] + __popc(votes & ((1u << lane) - 1))) & mask] = v;
}

// A prefix sum in one pass: a block waits for the sum of the one before, which began earlier. The
// last block clears what the launch left, so that another launch begins alike.
__global__ void scan_once(unsigned* out, const uint4* in, unsigned long long* state,
                          unsigned* ticket) {
  __shared__ unsigned warps[8], block, before;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) block = atomicAdd(&ticket[0], 1u);
  __syncthreads();
  const size_t at = (size_t)block * 256 + t;
  const uint4 v = in[at];
  const unsigned mine = v.x + v.y + v.z + v.w;
  unsigned sum = mine;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  unsigned ahead = 0, all = 0;
  for (int w = 0; w < 8; ++w) {
    if (w < warp) ahead += warps[w];
    all += warps[w];
  }
  if (t == 0) {
    unsigned total = 0;
    if (block > 0) {
      unsigned long long seen;
      do seen = atomicAdd(&state[block - 1], 0ull);
      while ((seen >> 32) == 0);
      total = (unsigned)seen;
    }
    atomicExch(&state[block], 1ull << 32 | (total + all));
    before = total;
  }
  __syncthreads();
  unsigned from = before + ahead + sum - mine;
  const unsigned value[4] = {v.x, v.y, v.z, v.w};
  for (int k = 0; k < 4; ++k) out[at * 4 + k] = from += value[k];
  __shared__ bool last;
  if (t == 0) last = atomicAdd(&ticket[1], 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int i = t; i < gridDim.x; i += 256) state[i] = 0;
  if (t < 2) ticket[t] = 0;
}

// Sums of segments that begin where a flag is set.
__global__ void sum_segments(float* out, const float* in, const unsigned* flag) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned heads = __ballot_sync(kAll, (flag[i] & 7) == 0 || lane == 0);
  const int head = 31 - __clz(heads & (kAll >> (31 - lane)));
  float sum = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const float other = __shfl_up_sync(kAll, sum, d);
    if (lane - d >= head) sum += other;
  }
  out[i] = sum;
}
