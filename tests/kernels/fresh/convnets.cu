// Layers on images and signals.

// Samples of a picture where a field of coordinates points, blended of four, for many channels.
__global__ void sample_grid(float* out, const float* in, const float2* grid, int side,
                            int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= side * side) return;
  const float2 g = grid[i];
  const float x = g.x * (side - 1.001f), y = g.y * (side - 1.001f);
  const int ix = (int)x, iy = (int)y;
  const float fx = x - ix, fy = y - iy;
  for (int c = 0; c < channels; ++c) {
    const float* p = in + ((size_t)c * side + iy) * side + ix;
    const float low = p[0] + fx * (p[1] - p[0]);
    const float high = p[side] + fx * (p[side + 1] - p[side]);
    out[(size_t)c * side * side + i] = low + fy * (high - low);
  }
}

// Taps far apart along a signal, a channel for each row of blocks.
__global__ void dilated_taps(float* out, const float* in, const float* weight, int n, int taps,
                             int apart) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < taps; ++k) {
    const int j = i - k * apart;
    if (j >= 0) sum = fmaf(weight[ch * taps + k], in[(size_t)ch * n + j], sum);
  }
  out[(size_t)ch * n + i] = tanhf(sum);
}
