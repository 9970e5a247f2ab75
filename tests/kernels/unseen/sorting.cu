// Orders: networks, ranks, radix steps, partitions, runs.

// Odd-even merge sort of 2 * blockDim.x keys in shared memory.
__global__ void odd_even_merge(unsigned* out, const unsigned* in) {
  extern __shared__ unsigned key[];
  const int t = threadIdx.x, n = blockDim.x * 2;
  const size_t base = (size_t)blockIdx.x * n;
  key[t] = in[base + t];
  key[t + blockDim.x] = in[base + blockDim.x + t];
  for (int p = 1; p < n; p *= 2)
    for (int k = p; k > 0; k /= 2) {
      __syncthreads();
      const int i = t / k * 2 * k + t % k + k % p;
      if (i + k < n && i / (2 * p) == (i + k) / (2 * p)) {
        const unsigned a = key[i], b = key[i + k];
        if (a > b) key[i] = b, key[i + k] = a;
      }
    }
  __syncthreads();
  out[base + t] = key[t];
  out[base + blockDim.x + t] = key[t + blockDim.x];
}

// A key's place by counting the smaller ones of its block: quadratic, broadcasts of shared memory.
__global__ void rank_by_counting(float* out, const float* in) {
  __shared__ float4 all[256];
  const int t = threadIdx.x;
  const size_t base = (size_t)blockIdx.x * 1024;
  all[t] = ((const float4*)(in + base))[t];
  __syncthreads();
  const float4 mine = all[t];
  const float v[4] = {mine.x, mine.y, mine.z, mine.w};
  int rank[4] = {};
  for (int i = 0; i < 256; ++i) {
    const float4 o = all[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int at = t * 4 + k;
      rank[k] += (o.x < v[k] || o.x == v[k] && i * 4 < at) +
                 (o.y < v[k] || o.y == v[k] && i * 4 + 1 < at) +
                 (o.z < v[k] || o.z == v[k] && i * 4 + 2 < at) +
                 (o.w < v[k] || o.w == v[k] && i * 4 + 3 < at);
    }
  }
  for (int k = 0; k < 4; ++k) out[base + rank[k]] = v[k];
}

// Splits by one bit after the other, ballots and a scan of warps: 8 bits of a block's keys.
__global__ void split_bits(unsigned* out, const unsigned* in, int bits) {
  __shared__ unsigned key[1024];
  __shared__ int zeros[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
  const size_t at = (size_t)blockIdx.x * blockDim.x + t;
  unsigned mine = in[at];
  for (int bit = 0; bit < bits; ++bit) {
    const bool one = mine >> bit & 1;
    const unsigned votes = __ballot_sync(~0u, !one);
    if (lane == 0) zeros[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
      int v = lane < warps ? zeros[lane] : 0;
      for (int step = 1; step < 32; step *= 2) {
        const int w = __shfl_up_sync(~0u, v, step);
        if (lane >= step) v += w;
      }
      if (lane < warps) zeros[lane] = v;
    }
    __syncthreads();
    const int before = (warp > 0 ? zeros[warp - 1] : 0) + __popc(votes & ((1u << lane) - 1));
    key[one ? zeros[warps - 1] + t - before : before] = mine;
    __syncthreads();
    mine = key[t];
    __syncthreads();
  }
  out[at] = mine;
}

// The bucket of each key by a tree of 255 splitters in shared memory; places by atomics there.
__global__ void sample_buckets(unsigned* count, unsigned short* bucket, const unsigned* in,
                               const unsigned* splitter, int n) {
  __shared__ unsigned tree[256], bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    const int level = 31 - __clz(i + 1);
    const int place = ((i + 1 - (1 << level)) * 2 + 1) << (7 - min(level, 7));
    tree[i] = splitter[min(place, 255)];
    bins[i] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned key = in[i];
    int node = 1;
#pragma unroll
    for (int k = 0; k < 8; ++k) node = 2 * node + (key > tree[node - 1]);
    bucket[i] = node - 256;
    atomicAdd(&bins[node - 256], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&count[i], bins[i]);
}

// Where each block's part of a merge begins: a binary search along diagonals, in two lists.
__global__ void merge_diagonals(int* begin, const unsigned* a, const unsigned* b, int n, int step) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, diagonal = t * step;
  if (diagonal > 2 * n) return;
  int low = max(0, diagonal - n), high = min(diagonal, n);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  begin[t] = low;
}

// The 32 largest of a row: a sorted warp of them, the next 32 sorted and merged into it.
__global__ void largest_of_rows(float* out, const float* in, int columns) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const auto exchange = [&](float v, int step, bool up) {
    const float w = __shfl_xor_sync(~0u, v, step);
    return ((lane & step) == 0) == up ? fminf(v, w) : fmaxf(v, w);
  };
  float best = -1e30f;
  for (int c = lane; c < columns; c += 32) {
    float v = in[(size_t)row * columns + c];
    if (!__any_sync(~0u, v > __shfl_sync(~0u, best, 0))) continue;
    for (int size = 2; size <= 32; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) v = exchange(v, step, (lane & size) != 0);
    best = fmaxf(best, v);
    for (int step = 16; step > 0; step /= 2) best = exchange(best, step, true);
  }
  out[row * 32 + lane] = best;
}

// Runs of equal bytes become pairs: heads by neighbours, places by a scan of the block.
__global__ void encode_runs(ushort2* out, int* lengths, const unsigned char* in) {
  __shared__ int sum[32];
  __shared__ unsigned char text[1024];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const size_t base = (size_t)blockIdx.x * 1024;
  text[t] = in[base + t] >> 6;
  __syncthreads();
  const bool head = t == 0 || text[t] != text[t - 1];
  const unsigned votes = __ballot_sync(~0u, head);
  if (lane == 0) sum[warp] = __popc(votes);
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w) before += sum[w];
  const int place = before + __popc(votes & (0xffffffffu >> (31 - lane))) - 1;
  if (head) {
    int end = t + 1;
    while (end < 1024 && text[end] == text[t]) ++end;
    out[base + place] = make_ushort2(text[t], end - t);
  }
  if (t == 1023) lengths[blockIdx.x] = place + 1;
}

// Insertion sort of 24 numbers of one thread, in memory of its own.
__global__ void insertion_own(unsigned* out, const unsigned* in, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned v[24];
  for (int i = 0; i < 24; ++i) {
    const unsigned x = in[(size_t)i * threads + t];
    int j = i;
    while (j > 0 && v[j - 1] > x) {
      v[j] = v[j - 1];
      --j;
    }
    v[j] = x;
  }
  for (int i = 0; i < 24; ++i) out[(size_t)i * threads + t] = v[i];
}
