// Histograms of bytes.
__global__ void histogram_global(unsigned* bins, const unsigned* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[data[i] & 255], 1u);
}

__global__ void histogram_shared(unsigned* bins, const unsigned* data, int n) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned word = data[i];
    for (int k = 0; k < 32; k += 8) atomicAdd(&local[word >> k & 255], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

// Of each warp its own.
__global__ void histogram_warps(unsigned* bins, const unsigned* data, int n) {
  __shared__ unsigned local[8][256];
  const int warp = threadIdx.x / 32;
  for (int b = threadIdx.x % 32; b < 256; b += 32) local[warp][b] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[warp][data[i] & 255], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += local[w][b];
    if (sum) atomicAdd(&bins[b], sum);
  }
}
