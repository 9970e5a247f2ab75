// Grids and blocks of every shape.
namespace shapes {

struct Box {
  int x, y, z;
  float scale;
};

enum Mode { kPlain, kSquared, kRooted };

// A volume in three dimensions, a struct by value, an enumerator.
__global__ void map_volume(float* data, Box box, Mode mode) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= box.x || y >= box.y || z >= box.z) return;
  float& v = data[((size_t)z * box.y + y) * box.x + x];
  const float w = v * box.scale;
  v = mode == kPlain ? w : mode == kSquared ? w * w : sqrtf(fabsf(w));
}

}  // namespace shapes

// The sum of a block of any size.
__global__ void sum_any(float* out, const float* in, int per_thread) {
  extern __shared__ float part[];
  const int n = blockDim.x, t = threadIdx.x;
  const float* mine = in + (size_t)blockIdx.x * n * per_thread;
  float sum = 0;
  for (int k = 0; k < per_thread; ++k) sum += mine[k * n + t];
  part[t] = sum;
  __syncthreads();
  for (int width = n; width > 1;) {
    const int half = (width + 1) / 2;
    if (t + half < width) part[t] += part[t + half];
    __syncthreads();
    width = half;
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// A few words for each block.
__global__ void touch(int* out, int value) {
  if (threadIdx.x == 0) out[blockIdx.x] = value + blockIdx.x;
}

// Work in registers: waves and tails.
__global__ void work(float* out, int rounds) {
  extern __shared__ float unused[];
  float x = threadIdx.x, y = blockIdx.x;
  for (int k = 0; k < rounds; ++k) {
    x = fmaf(x, 0.75f, y);
    y = sqrtf(y + x);
  }
  if (x == -1.0f) unused[threadIdx.x] = x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

// A few blocks have much more to do, and they come last.
__global__ void late_giants(float* out, int rounds, int giants) {
  float x = threadIdx.x;
  const int most = blockIdx.x >= gridDim.x - giants ? 32 * rounds : rounds;
  for (int k = 0; k < most; ++k) x = fmaf(x, 0.5f, 1.0f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Warps of a block that end at different times.
__global__ void uneven_warps(float* out, int rounds) {
  float x = threadIdx.x;
  const int most = rounds * (1 + (threadIdx.x / 32 * 5 + blockIdx.x) % 8);
  for (int k = 0; k < most; ++k) x = fmaf(x, x, -0.5f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Loads with little shared memory left for L1, or all of it.
__global__ void reuse_rows(float* out, const float* in, int rows, int columns) {
  extern __shared__ float unused[];
  float sum = 0;
  for (int pass = 0; pass < 4; ++pass)
    for (int r = 0; r < rows; ++r)
      sum += in[(size_t)(blockIdx.x * rows + r) * columns + threadIdx.x];
  if (sum == -1.0f) unused[0] = sum;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
