// Products of square matrices (Hong and Kim 2009, Table 5). Covered by tests/vgpu/kernels_test.cpp.
//   mat_naive   a thread for each element, neighbours below one another: no access of a warp is
//               coalesced on the first devices
//   mat_tiled   tiles of `tile` x `tile` threads in dynamic shared memory (8 * tile * tile bytes);
//               `tile` divides n
//   mat_tiled_free  the same without its barriers: its product is wrong, its time is that of all else

extern "C" __global__ void mat_naive(float* c, const float* a, const float* b, int n) {
  const int element = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = element % n, column = element / n;
  if (column >= n) return;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <bool barriers>
__device__ __forceinline__ void meet() {
  if (barriers)
    __syncthreads();
  else
    asm volatile("" ::: "memory");
}

template <bool barriers>
__device__ __forceinline__ void mat_tiles(float* c, const float* a, const float* b, int n,
                                          int tile) {
  extern __shared__ float tiles[];
  float* const left = tiles;
  float* const right = tiles + tile * tile;
  const int x = threadIdx.x % tile, y = threadIdx.x / tile;
  const int across = n / tile;
  const int column = (int)(blockIdx.x % across) * tile + x;
  const int row = (int)(blockIdx.x / across) * tile + y;
  const float* from_a = a + row * n + x;
  const float* from_b = b + y * n + column;
  float sum = 0;
#pragma unroll 1
  for (int step = 0; step < n; step += tile) {
    left[threadIdx.x] = *from_a;
    right[threadIdx.x] = *from_b;
    meet<barriers>();
#pragma unroll 4
    for (int k = 0; k < tile; ++k) sum += left[y * tile + k] * right[k * tile + x];
    meet<barriers>();
    from_a += tile;
    from_b += tile * n;
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void mat_tiled(float* c, const float* a, const float* b, int n, int tile) {
  mat_tiles<true>(c, a, b, n, tile);
}

extern "C" __global__ void mat_tiled_free(float* c, const float* a, const float* b, int n,
                                          int tile) {
  mat_tiles<false>(c, a, b, n, tile);
}
