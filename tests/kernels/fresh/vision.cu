// Pictures.

// Neighbours weighted by distance and by likeness: a halo of five pixels in shared memory.
__global__ void smooth_alike(float* out, const float* in, int width, int height, float alike) {
  __shared__ float tile[26][43];
  const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int i = ty * 32 + tx; i < 26 * 42; i += 512) {
    const int x = min(max(x0 + i % 42 - 5, 0), width - 1),
              y = min(max(y0 + i / 42 - 5, 0), height - 1);
    tile[i / 42][i % 42] = in[(size_t)y * width + x];
  }
  __syncthreads();
  const float mine = tile[ty + 5][tx + 5];
  float sum = 0, weights = 0;
  for (int dy = -5; dy <= 5; ++dy)
#pragma unroll
    for (int dx = -5; dx <= 5; ++dx) {
      const float v = tile[ty + 5 + dy][tx + 5 + dx], d = v - mine;
      const float w = __expf(-0.04f * (dx * dx + dy * dy) - alike * d * d);
      sum = fmaf(w, v, sum), weights += w;
    }
  if (x0 + tx < width && y0 + ty < height)
    out[(size_t)(y0 + ty) * width + x0 + tx] = __fdividef(sum, weights);
}

// Shifts between two pictures of 64-bit signs: the least number of different bits of 64 shifts.
__global__ void least_shift(unsigned char* out, const unsigned long long* left,
                            const unsigned long long* right, int width) {
  __shared__ unsigned long long row[192];
  const int x0 = blockIdx.x * 128, t = threadIdx.x;
  const size_t line = (size_t)blockIdx.y * width;
  for (int i = t; i < 192; i += 128) row[i] = right[line + max(x0 + i - 64, 0)];
  __syncthreads();
  const unsigned long long mine = left[line + x0 + t];
  int least = 65, shift = 0;
#pragma unroll 8
  for (int d = 0; d < 64; ++d) {
    const int bits = __popcll(mine ^ row[t + 64 - d]);
    if (bits < least) least = bits, shift = d;
  }
  out[line + x0 + t] = shift;
}

// Bright pixels vote for the lines through them, 180 angles each; most pixels are dark.
__global__ void vote_lines(unsigned* votes, const unsigned char* in, int width, int height,
                           int limit, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height || in[(size_t)y * width + x] < limit) return;
  for (int a = 0; a < 180; ++a) {
    float s, c;
    __sincosf(a * 0.0174533f, &s, &c);
    const int r = (int)(x * c + y * s) + radius;
    if (r >= 0 && r < 2 * radius) atomicAdd(&votes[a * 2 * radius + r], 1u);
  }
}
