// Lattices: flow, waves, heat, cells.

// Lattice Boltzmann in two dimensions with nine velocities, periodic; directions are arrays apart.
__global__ void stream_collide(float* out, const float* in, int width, int height, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float w[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                      1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  const size_t cells = (size_t)width * height;
  float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int sx = (x - cx[k] + width) % width, sy = (y - cy[k] + height) % height;
    f[k] = in[k * cells + (size_t)sy * width + sx];
    rho += f[k], ux += f[k] * cx[k], uy += f[k] * cy[k];
  }
  ux /= rho, uy /= rho;
  const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float cu = 3.0f * (cx[k] * ux + cy[k] * uy);
    const float equal = w[k] * rho * (1.0f + cu + 0.5f * cu * cu - square);
    out[k * cells + (size_t)y * width + x] = f[k] + omega * (equal - f[k]);
  }
}

// All 27 neighbours of a cell.
__global__ void box27(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  float sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += in[((size_t)(z + dz) * ny + y + dy) * nx + x + dx] *
               (1.0f / (1 + dx * dx + dy * dy + dz * dz));
  out[((size_t)z * ny + y) * nx + x] = sum;
}

// A wave of eighth order: a tile with a halo of four cells.
__global__ void wave_step(float* next, const float* now, const float* speed, int width,
                          int height) {
  constexpr int kX = 32, kY = 16, kR = 4;
  __shared__ float tile[kY + 2 * kR][kX + 2 * kR];
  const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.025397f, -0.001786f};
  const int x0 = blockIdx.x * kX, y0 = blockIdx.y * kY;
  for (int i = threadIdx.y * kX + threadIdx.x; i < (kY + 2 * kR) * (kX + 2 * kR); i += kX * kY) {
    const int ty = i / (kX + 2 * kR), tx = i % (kX + 2 * kR);
    const int gx = min(max(x0 + tx - kR, 0), width - 1), gy = min(max(y0 + ty - kR, 0), height - 1);
    tile[ty][tx] = now[(size_t)gy * width + gx];
  }
  __syncthreads();
  const int tx = threadIdx.x + kR, ty = threadIdx.y + kR;
  float sum = 2 * c[0] * tile[ty][tx];
#pragma unroll
  for (int r = 1; r <= kR; ++r)
    sum += c[r] * (tile[ty][tx - r] + tile[ty][tx + r] + tile[ty - r][tx] + tile[ty + r][tx]);
  const size_t at = (size_t)(y0 + threadIdx.y) * width + x0 + threadIdx.x;
  next[at] = 2.0f * tile[ty][tx] - next[at] + speed[at] * sum;
}

// Several steps of a rod in shared memory, a barrier after each.
__global__ void heat_steps(float* out, const float* in, int n, int steps) {
  extern __shared__ float rod[];
  const int width = blockDim.x, useful = width - 2 * steps;
  const int i = blockIdx.x * useful + (int)threadIdx.x - steps;
  float* from = rod;
  float* to = rod + width;
  from[threadIdx.x] = i >= 0 && i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const int t = threadIdx.x;
    to[t] = t > 0 && t < width - 1 ? 0.25f * from[t - 1] + 0.5f * from[t] + 0.25f * from[t + 1]
                                   : from[t];
    __syncthreads();
    float* other = from;
    from = to, to = other;
  }
  if (threadIdx.x >= steps && threadIdx.x < width - steps && i < n) out[i] = from[threadIdx.x];
}

// Half of the cells of a checkerboard, in place, double precision.
__global__ void relax_colour(double* u, int width, int height, int colour) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const size_t at = (size_t)y * width + x;
  u[at] = 0.25 * (u[at - 1] + u[at + 1] + u[at - width] + u[at + width]);
}

// Cells of a byte; a torus.
__global__ void live(unsigned char* next, const unsigned char* now, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int around = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0)
        around += now[(size_t)((y + dy) & (height - 1)) * width + ((x + dx) & (width - 1))] & 1;
  const size_t at = (size_t)y * width + x;
  next[at] = around == 3 || (around == 2 && (now[at] & 1));
}

// What a flow carries to a cell: four neighbours of where it came from.
__global__ void advect(float* out, const float* in, const float2* velocity, int width, int height,
                       float dt) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float2 v = velocity[(size_t)y * width + x];
  const float fx = fminf(fmaxf(x - dt * v.x, 0.0f), width - 1.001f),
              fy = fminf(fmaxf(y - dt * v.y, 0.0f), height - 1.001f);
  const int ix = (int)fx, iy = (int)fy;
  const float ax = fx - ix, ay = fy - iy;
  const float* at = in + (size_t)iy * width + ix;
  const int right = ix + 1 < width ? 1 : 0, below = iy + 1 < height ? width : 0;
  out[(size_t)y * width + x] = (1 - ay) * ((1 - ax) * at[0] + ax * at[right]) +
                               ay * ((1 - ax) * at[below] + ax * at[below + right]);
}
