// Points among points.

// The four nearest of all points to each query: tiles in shared memory, a sorted list in registers.
__global__ void nearest_four(uint4* out, const float4* query, const float4* point, int queries,
                             int points) {
  __shared__ float4 tile[256];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 q = query[min(t, queries - 1)];
  float d[4] = {1e30f, 1e30f, 1e30f, 1e30f};
  unsigned id[4] = {};
  for (int base = 0; base < points; base += 256) {
    __syncthreads();
    for (int i = threadIdx.x; i < 256 && base + i < points; i += blockDim.x)
      tile[i] = point[base + i];
    __syncthreads();
    const int count = min(256, points - base);
    for (int i = 0; i < count; ++i) {
      const float4 p = tile[i];
      const float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, r = x * x + y * y + z * z;
      if (r >= d[3]) continue;
      d[3] = r, id[3] = base + i;
#pragma unroll
      for (int k = 3; k > 0; --k)
        if (d[k] < d[k - 1]) {
          const float f = d[k];
          const unsigned u = id[k];
          d[k] = d[k - 1], d[k - 1] = f, id[k] = id[k - 1], id[k - 1] = u;
        }
    }
  }
  if (t < queries) out[t] = make_uint4(id[0], id[1], id[2], id[3]);
}

// Sums and numbers of points of `centres` groups: first in shared memory, then in the whole.
__global__ void gather_centres(float* sum, unsigned* count, const float4* point,
                               const unsigned* group, int n, int centres) {
  extern __shared__ float part[];
  unsigned* number = (unsigned*)(part + 4 * centres);
  for (int i = threadIdx.x; i < 5 * centres; i += blockDim.x) part[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 p = point[i];
    const unsigned g = group[i] % centres;
    atomicAdd(&part[4 * g], p.x), atomicAdd(&part[4 * g + 1], p.y);
    atomicAdd(&part[4 * g + 2], p.z), atomicAdd(&part[4 * g + 3], p.w);
    atomicAdd(&number[g], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * centres; i += blockDim.x) atomicAdd(&sum[i], part[i]);
  for (int i = threadIdx.x; i < centres; i += blockDim.x) atomicAdd(&count[i], number[i]);
}
