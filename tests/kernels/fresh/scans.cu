// Running sums.

// A picture summed down its columns, a column a thread, one row after the other.
__global__ void sum_down(float* out, const float* in, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) {
    sum += in[(size_t)r * columns + c];
    out[(size_t)r * columns + c] = sum;
  }
}

// What passes a test moves to the front of its block's part; numbers left are stored.
__global__ void pack_in_block(unsigned* out, unsigned* kept, const unsigned* in, int each,
                              unsigned limit) {
  __shared__ unsigned part[32], base;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
  const size_t mine = (size_t)blockIdx.x * each * blockDim.x;
  if (t == 0) base = 0;
  for (int k = 0; k < each; ++k) {
    const unsigned v = in[mine + k * blockDim.x + t];
    const unsigned votes = __ballot_sync(~0u, v < limit);
    if (lane == 0) part[warp] = __popc(votes);
    __syncthreads();
    unsigned before = base, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) before += part[w];
      all += part[w];
    }
    if (v < limit) out[mine + before + __popc(votes & ((1u << lane) - 1))] = v;
    __syncthreads();
    if (t == 0) base += all;
  }
  __syncthreads();
  if (t == 0) kept[blockIdx.x] = base;
}
