// Graphs whose edges go anywhere, and tables of hashed keys.
__device__ unsigned mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}

// A step of a breadth-first search: vertices of the frontier mark their neighbours. The row of a
// vertex begins anywhere in its slot of 16, so that rows have 1 to 31 edges.
__global__ void expand_frontier(unsigned char* seen, const unsigned char* level,
                                const unsigned* jitter, const unsigned* edge, int n, int now,
                                unsigned mask) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || (level[v] & 7) != now) return;
  const int from = v * 16 + (jitter[v] & 15), to = (v + 1) * 16 + (jitter[v + 1] & 15);
  for (int e = from; e < to; ++e) {
    const unsigned w = edge[e] & mask;
    if (seen[w] == 0) seen[w] = now + 1;
  }
}

// Ranks pulled along edges; a vertex has as many edges as its number says: the last have the most.
__global__ void pull_ranks(float* next, const float* rank, const unsigned* edge, int n,
                           unsigned mask) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const int degree = 1 + (v >> 9);
  const size_t from = (size_t)(v >> 9) * (v >> 9) * 256 + (size_t)(v & 511) * (v >> 9) + v;
  float sum = 0;
  for (int e = 0; e < degree; ++e) sum += rank[edge[(from + e) & mask] % n];
  next[v] = 0.15f / n + 0.85f * sum;
}

// Components: the smaller label goes to the neighbour.
__global__ void hook_labels(unsigned* label, const uint2* edge, int edges, unsigned mask) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
    const uint2 uv = edge[e];
    const unsigned a = label[uv.x & mask], b = label[uv.y & mask];
    if (a < b)
      atomicMin(&label[uv.y & mask], a);
    else if (b < a)
      atomicMin(&label[uv.x & mask], b);
  }
}

// Open addressing; keys that are there already are found.
__global__ void insert_keys(unsigned* slot, const unsigned* key, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned k = key[i] | 1;
  for (unsigned h = mix(k) & mask;; h = (h + 1) & mask) {
    const unsigned was = atomicCAS(&slot[h], 0u, k);
    if (was == 0 || was == k) break;
  }
}

// Chains of about `1 / (1 - load)` slots of 8 bytes.
__global__ void find_keys(unsigned* out, const uint2* slot, const unsigned* key, int n,
                          unsigned mask, unsigned empty) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned k = key[i];
  unsigned h = mix(k) & mask;
  uint2 at = slot[h];
  while (at.x != k && at.x % 16 >= empty) {
    h = (h + 1) & mask;
    at = slot[h];
  }
  out[i] = at.y;
}

__global__ void bloom_add(unsigned* bits, const unsigned* key, int n, unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = mix(key[i]);
  for (int k = 0; k < 4; ++k) {
    atomicOr(&bits[(h >> 5) & mask], 1u << (h & 31));
    h = mix(h + k);
  }
}

__global__ void bloom_test(unsigned char* out, const unsigned* bits, const unsigned* key, int n,
                           unsigned mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = mix(key[i]), all = 1;
  for (int k = 0; k < 4; ++k) {
    all &= bits[(h >> 5) & mask] >> (h & 31);
    h = mix(h + k);
  }
  out[i] = all & 1;
}

// A warp walks lists of its own, an element of 16 bytes each time.
__global__ void walk_nodes(float* out, const int* next, const float4* payload, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = (int)((long long)i * 40503 % n);
  float sum = 0;
  for (int k = 0; k < steps; ++k) {
    const float4 v = payload[at];
    sum += v.x * v.w - v.y * v.z;
    at = next[at];
  }
  out[i] = sum;
}
