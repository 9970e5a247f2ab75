// Sparse matrices and graphs. Lengths of rows and neighbours come from what fills the buffers.

// Eight lanes for a row; rows of 0 to 63 words, by a hash of the row, from a place of its own.
__global__ void uneven_rows(float* y, const unsigned* length, const unsigned* column,
                            const float* value, const float* x, int rows, unsigned mask) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  if (row >= rows) return;
  const int n = length[row] & 63;
  float sum = 0;
  for (int i = lane; i < n; i += 8) {
    const size_t at = (size_t)row * 64 + i;
    sum = fmaf(value[at], x[column[at] & mask], sum);
  }
  for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step, 8);
  if (lane == 0) y[row] = sum;
}

// Entries with their row and column; a run of equal rows in a warp is added before the atomic.
__global__ void by_entries(float* y, const uint2* place, const float* value, const float* x, int n,
                           unsigned per_row, unsigned mask) {
  const int lane = threadIdx.x % 32;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint2 p = __ldcs(&place[i]);
    const unsigned row = i / per_row;
    float v = __ldcs(&value[i]) * x[p.y & mask];
    for (int step = 1; step < 32; step *= 2) {
      const float w = __shfl_down_sync(~0u, v, step);
      const unsigned r = __shfl_down_sync(~0u, row, step);
      if (lane + step < 32 && r == row) v += w;
    }
    const unsigned left = __shfl_up_sync(~0u, row, 1);
    if (lane == 0 || left != row) atomicAdd(&y[row], v);
  }
}

// Blocks of 4 x 4: half a warp for a row of blocks, a lane for an element.
__global__ void blocks_of_four(float* y, const unsigned* column, const float* value, const float* x,
                               int each, unsigned mask) {
  const int lane = threadIdx.x % 16, row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  float sum = 0;
  for (int i = 0; i < each; ++i) {
    const size_t at = (size_t)row * each + i;
    sum = fmaf(value[at * 16 + lane], x[(column[at] & mask) * 4 + lane % 4], sum);
  }
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if (lane % 4 == 0) y[row * 4 + lane / 4] = sum;
}

// Bottom up: a vertex looks for a parent in the frontier's bits, and stops at the first.
__global__ void find_parents(unsigned* parent, unsigned* next, const unsigned* frontier,
                             const unsigned* edge, int n, int degree, unsigned mask) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool joins = false;
  if (v < n)
    for (int i = 0; i < degree && !joins; ++i) {
      const unsigned u = edge[(size_t)v * degree + i] & mask;
      if (frontier[u / 32] >> u % 32 & frontier[(u / 32 + 1) & (mask / 32)] & 1) {
        parent[v] = u;
        joins = true;
      }
    }
  const unsigned votes = __ballot_sync(~0u, joins);
  if (threadIdx.x % 32 == 0 && v < n) next[v / 32] = votes;
}

// Lists are ranked by jumps: a step reads the successor and what it has.
__global__ void jump(uint2* out, const unsigned* next, const unsigned* rank, int n, int jumps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = next[i], sum = rank[i];
  for (int k = 0; k < jumps; ++k) {
    sum += rank[at];
    at = next[at];
  }
  out[i] = make_uint2(at, sum);
}

// Triangles: lists of two ends of an edge, both rising by steps, walked side by side.
__global__ void count_triangles(unsigned long long* total, const unsigned* neighbour,
                                const unsigned* from, const unsigned* to, int edges, int degree,
                                unsigned mask) {
  unsigned found = 0;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
    const unsigned u = from[e] & mask, v = to[e] & mask;
    const unsigned *p = neighbour + (size_t)u * degree, *q = neighbour + (size_t)v * degree;
    unsigned a = p[0] & 7, b = q[0] & 7;
    for (int i = 0, j = 0; i < degree && j < degree;) {
      found += a == b;
      const bool left = a <= b, right = b <= a;
      if (left && ++i < degree) a += 1 + (p[i] & 7);
      if (right && ++j < degree) b += 1 + (q[j] & 7);
    }
  }
  found = __reduce_add_sync(~0u, found);
  if (threadIdx.x % 32 == 0) atomicAdd(total, (unsigned long long)found);
}

// A round of shortest paths over all pairs: tiles of 32 against the pivot's row and column.
__global__ void all_pairs(float* d, int n, int pivot) {
  __shared__ float row[32][32], column[32][33];
  const int x = threadIdx.x, y0 = threadIdx.y, at = pivot * 32;
  for (int y = y0; y < 32; y += 8) {
    row[y][x] = d[(size_t)(at + y) * n + blockIdx.x * 32 + x];
    column[y][x] = d[(size_t)(blockIdx.y * 32 + y) * n + at + x];
  }
  __syncthreads();
  for (int y = y0; y < 32; y += 8) {
    float best = d[(size_t)(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
#pragma unroll
    for (int k = 0; k < 32; ++k) best = fminf(best, column[y][k] + row[k][x]);
    d[(size_t)(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x] = best;
  }
}

// Distances relaxed along edges: atomic minima anywhere, floats as integers.
__global__ void relax_edges(unsigned* distance, const unsigned* from, const unsigned* to,
                            const float* weight, int edges, unsigned mask) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const unsigned u = from[e] & mask, v = to[e] & mask;
  const float d = __uint_as_float(__ldg(&distance[mask + 1 + u])) + weight[e];
  atomicMin(&distance[v], __float_as_uint(fabsf(d)));
}

// The most frequent label of 16 neighbours, each compared with each.
__global__ void common_labels(unsigned char* out, const unsigned char* label, const uint4* edge,
                              int n, unsigned mask) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned l[16];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const uint4 e = edge[(size_t)v * 4 + q];
    l[q * 4] = label[e.x & mask] & 7, l[q * 4 + 1] = label[e.y & mask] & 7;
    l[q * 4 + 2] = label[e.z & mask] & 7, l[q * 4 + 3] = label[e.w & mask] & 7;
  }
  unsigned best = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    unsigned same = 0;
#pragma unroll
    for (int j = 0; j < 16; ++j) same += l[i] == l[j];
    best = max(best, same * 8 + l[i]);
  }
  out[v] = best & 7;
}
