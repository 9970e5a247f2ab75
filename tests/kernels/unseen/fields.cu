// Differences on grids, halos, levels of grids, meshes, automata.

// Eight neighbours on each axis, planes in shared memory, the third axis in registers.
__global__ void eighth_order(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float plane[16][40];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  const size_t layer = (size_t)nx * ny, at = (size_t)y * nx + x;
  const float w[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.0018f};
  float column[9];
#pragma unroll
  for (int k = 0; k < 8; ++k) column[k] = in[k * layer + at];
  for (int z = 4; z < nz - 4; ++z) {
    column[8] = in[(z + 4) * layer + at];
    __syncthreads();
    plane[ty + 4][tx + 4] = column[4];
    const size_t here = z * layer + at;
    if (tx < 4) {
      plane[ty + 4][tx] = x >= 4 ? in[here - 4] : 0;
      plane[ty + 4][tx + 36] = x + 32 < nx ? in[here + 32] : 0;
    }
    if (ty < 4) {
      plane[ty][tx + 4] = y >= 4 ? in[here - 4 * (size_t)nx] : 0;
      plane[ty + 12][tx + 4] = y + 8 < ny ? in[here + 8 * (size_t)nx] : 0;
    }
    __syncthreads();
    float sum = 3 * w[0] * column[4];
#pragma unroll
    for (int r = 1; r < 5; ++r)
      sum += w[r] *
             (column[4 - r] + column[4 + r] + plane[ty + 4][tx + 4 - r] +
              plane[ty + 4][tx + 4 + r] + plane[ty + 4 - r][tx + 4] + plane[ty + 4 + r][tx + 4]);
    out[here] = sum;
#pragma unroll
    for (int k = 0; k < 8; ++k) column[k] = column[k + 1];
  }
}

// Two chemicals react and spread, STEPS steps in a tile of 32 x 32 that shrinks from its edge.
#ifndef STEPS
#define STEPS 2
#endif
__global__ void __launch_bounds__(1024) react(float2* out, const float2* in, int side) {
  __shared__ float2 u[2][32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, inner = 32 - 2 * STEPS;
  const int x = (blockIdx.x * inner + tx - STEPS + side) % side;
  const int y = (blockIdx.y * inner + ty - STEPS + side) % side;
  u[0][ty][tx] = in[(size_t)y * side + x];
  for (int s = 0; s < STEPS; ++s) {
    __syncthreads();
    if (tx > s && ty > s && tx < 31 - s && ty < 31 - s) {
      const float2 c = u[s % 2][ty][tx], n = u[s % 2][ty - 1][tx], p = u[s % 2][ty + 1][tx],
                   l = u[s % 2][ty][tx - 1], r = u[s % 2][ty][tx + 1];
      const float reaction = c.x * c.y * c.y;
      u[1 - s % 2][ty][tx] = make_float2(
          c.x + 0.16f * (n.x + p.x + l.x + r.x - 4 * c.x) - reaction + 0.035f * (1 - c.x),
          c.y + 0.08f * (n.y + p.y + l.y + r.y - 4 * c.y) + reaction - 0.1f * c.y);
    }
  }
  if (tx >= STEPS && ty >= STEPS && tx < 32 - STEPS && ty < 32 - STEPS)
    out[(size_t)y * side + x] = u[STEPS % 2][ty][tx];
}

// Electric fields from magnetic ones: nine arrays, reads of neighbours through L1.
__global__ void maxwell(float* ex, float* ey, float* ez, const float* hx, const float* hy,
                        const float* hz, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx || y >= ny) return;
  const size_t row = nx, layer = (size_t)nx * ny, i = z * layer + y * row + x;
  ex[i] += 0.5f * (hz[i] - hz[i - row] - hy[i] + hy[i - layer]);
  ey[i] += 0.5f * (hx[i] - hx[i - layer] - hz[i] + hz[i - 1]);
  ez[i] += 0.5f * (hy[i] - hy[i - 1] - hx[i] + hx[i - row]);
}

// Fluxes of shallow water in doubles: roots, quotients, and choices of the upwind side.
__global__ void shallow_water(double* out, const double* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= width - 1 || y >= height) return;
  const size_t i = (size_t)y * width + x, n = (size_t)width * height;
  const auto flux = [&](size_t l, size_t r, double* f) {
    const double hl = in[l], hr = in[r], ul = in[n + l] / hl, ur = in[n + r] / hr;
    const double cl = sqrt(9.81 * hl), cr = sqrt(9.81 * hr);
    const double sl = fmin(ul - cl, ur - cr), sr = fmax(ul + cl, ur + cr);
    const double d = 1.0 / (sr - sl);
    const double gl = hl * ul * ul + 4.905 * hl * hl, gr = hr * ur * ur + 4.905 * hr * hr;
    f[0] = sl >= 0   ? hl * ul
           : sr <= 0 ? hr * ur
                     : (sr * hl * ul - sl * hr * ur + sl * sr * (hr - hl)) * d;
    f[1] = sl >= 0 ? gl : sr <= 0 ? gr : (sr * gl - sl * gr + sl * sr * (hr * ur - hl * ul)) * d;
  };
  double a[2], b[2];
  flux(i - 1, i, a);
  flux(i, i + 1, b);
  out[i] = in[i] - 0.01 * (b[0] - a[0]);
  out[n + i] = in[n + i] - 0.01 * (b[1] - a[1]);
}

// A coarse grid from a fine one: 27 weights for each coarse point.
__global__ void restrict_grid(float* out, const float* in, int coarse) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z, fine = 2 * coarse + 1;
  if (x >= coarse || y >= coarse || z >= coarse) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 27; ++k) {
    const int dx = k % 3, dy = k / 3 % 3, dz = k / 9;
    const float w = (dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1) * (dz == 1 ? 2 : 1);
    sum += w * in[((size_t)(2 * z + dz) * fine + 2 * y + dy) * fine + 2 * x + dx];
  }
  out[((size_t)z * coarse + y) * coarse + x] = sum / 64;
}

// Back to the fine grid, a thread for a fine point: lanes choose by whether they are odd.
__global__ void prolong_grid(float* out, const float* in, int coarse) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z,
            fine = 2 * coarse - 1;
  if (x >= fine) return;
  const float* at = in + ((size_t)(z / 2) * coarse + y / 2) * coarse + x / 2;
  float v = at[0];
  if (x % 2) v = 0.5f * (v + at[1]);
  if (y % 2) v = 0.5f * (v + (x % 2 ? 0.5f * (at[coarse] + at[coarse + 1]) : at[coarse]));
  if (z % 2) v = 0.5f * (v + at[(size_t)coarse * coarse]);
  out[((size_t)z * fine + y) * fine + x] += v;
}

// Forces of tetrahedra on their corners: gathers of positions, scatters by atomics.
__global__ void corner_forces(float* force, const float* position, const uint4* corner, int n,
                              unsigned nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 c = corner[i];
  const unsigned at[4] = {c.x % nodes, c.y % nodes, c.z % nodes, c.w % nodes};
  float p[4][3];
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int d = 0; d < 3; ++d) p[k][d] = position[(size_t)at[k] * 3 + d];
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int d = 0; d < 3; ++d)
      atomicAdd(&force[(size_t)at[k] * 3 + d],
                0.25f * (p[0][d] + p[1][d] + p[2][d] + p[3][d]) - p[k][d]);
}

// A row of cells by a rule of three neighbours, 32 cells a word, many steps in registers of a warp.
__global__ void rule_of_three(unsigned* out, const unsigned* in, int steps, unsigned rule) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned v = in[i];
  for (int s = 0; s < steps; ++s) {
    const unsigned l = __shfl_sync(~0u, v, lane - 1), r = __shfl_sync(~0u, v, lane + 1);
    const unsigned left = __funnelshift_l(l, v, 1), right = __funnelshift_r(v, r, 1);
    unsigned next = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (rule >> k & 1)
        next |= (k & 4 ? left : ~left) & (k & 2 ? v : ~v) & (k & 1 ? right : ~right);
    v = next;
  }
  out[i] = v;
}
