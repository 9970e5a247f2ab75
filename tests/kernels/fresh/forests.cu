// Forests of decision trees: nodes hold a feature and a threshold, children follow by number.

__global__ void score_samples(float* out, const float* feature, const float2* node,
                              const float* leaf, int samples, int trees, int depth, int features) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= samples) return;
  const float* mine = feature + (size_t)t * features;
  const int inner = (1 << depth) - 1;
  float sum = 0;
  for (int k = 0; k < trees; ++k) {
    int at = 0;
    for (int d = 0; d < depth; ++d) {
      const float2 v = node[k * inner + at];
      const int f = min((int)(v.x * features), features - 1);
      at = 2 * at + 1 + (mine[f] > v.y);
    }
    sum += leaf[(k << depth) + at - inner];
  }
  out[t] = sum;
}

// The same with a tree at a time in shared memory and features by columns.
__global__ void score_by_trees(float* out, const float* feature, const float2* node,
                               const float* leaf, int samples, int trees, int depth, int features) {
  __shared__ float2 tree[255];
  const int t = blockIdx.x * blockDim.x + threadIdx.x, inner = (1 << depth) - 1;
  float sum = 0;
  for (int k = 0; k < trees; ++k) {
    __syncthreads();
    for (int i = threadIdx.x; i < inner; i += blockDim.x) tree[i] = node[k * inner + i];
    __syncthreads();
    if (t >= samples) continue;
    int at = 0;
    for (int d = 0; d < depth; ++d) {
      const float2 v = tree[at];
      const int f = min((int)(v.x * features), features - 1);
      at = 2 * at + 1 + (feature[(size_t)f * samples + t] > v.y);
    }
    sum += leaf[(k << depth) + at - inner];
  }
  if (t < samples) out[t] = sum;
}
