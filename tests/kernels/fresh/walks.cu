// Graphs.

// Walks at random: each step reads a neighbour of where the last one led.
__global__ void random_walks(unsigned* end, const unsigned* edge, int walks, int steps, int degree,
                             unsigned mask) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= walks) return;
  unsigned v = t & mask, r = t * 747796405u + 1;
  for (int s = 0; s < steps; ++s) {
    r = r * 1664525u + 1013904223u;
    v = edge[(size_t)v * degree + (r >> 16) % degree] & mask;
  }
  end[t] = v;
}

// Vertices whose number beats that of all neighbours: the search ends at the first that is larger.
__global__ void local_maxima(unsigned char* won, const unsigned* rank, const unsigned* begin,
                             const unsigned* edge, int n, unsigned mask) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const unsigned mine = rank[v], last = begin[v + 1];
  bool best = true;
  for (unsigned e = begin[v]; e < last; ++e)
    if (rank[edge[e] & mask] > mine) {
      best = false;
      break;
    }
  won[v] = best;
}

// Scores pushed along edges to a few thousand or a million vertices, a warp for each source.
__global__ void push_scores(float* sum, const float* score, const unsigned* edge, int sources,
                            int degree, unsigned mask) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= sources) return;
  const float share = score[v] / degree;
  for (int e = lane; e < degree; e += 32)
    atomicAdd(&sum[edge[(size_t)v * degree + e] & mask], share);
}
