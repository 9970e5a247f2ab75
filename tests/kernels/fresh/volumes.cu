// Bodies made of cells.

// Rays through a volume of bytes, eight samples blended at each step, until little light is left.
__global__ void cast_rays(float* image, const unsigned char* cell, int side, int width, int steps,
                          float thick) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= width) return;
  const float scale = (side - 2.0f) / steps;
  float light = 1, sum = 0;
  for (int i = 0; i < steps && light > 0.03f; ++i) {
    const float z = i * scale;
    const float x = fminf(px * (side - 2.0f) / width + 0.1f * z, side - 2.0f);
    const float y = fminf(py * (side - 2.0f) / width + 0.05f * z, side - 2.0f);
    const int ix = (int)x, iy = (int)y, iz = (int)z;
    const float fx = x - ix, fy = y - iy, fz = z - iz;
    const unsigned char* at = cell + ((size_t)iz * side + iy) * side + ix;
    float plane[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const unsigned char* row = at + (size_t)k * side * side;
      const float low = row[0] + fx * (row[1] - row[0]);
      const float high = row[side] + fx * (row[side + 1] - row[side]);
      plane[k] = low + fy * (high - low);
    }
    const float density = (plane[0] + fz * (plane[1] - plane[0])) * (1.0f / 255);
    const float taken = light * fminf(1.0f, density * thick);
    sum += taken * density;
    light -= taken;
  }
  image[py * width + px] = sum;
}

// A step of jump flooding: the nearest of the seeds that nine places hold, `jump` pixels apart.
__global__ void jump_seeds(unsigned* out, const unsigned* in, int side, int jump) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  unsigned best = 0;
  int least = 1 << 30;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const int u = x + dx * jump, v = y + dy * jump;
      if (u < 0 || v < 0 || u >= side || v >= side) continue;
      const unsigned seed = in[v * side + u];
      const int ex = (int)(seed & 4095) - x, ey = (int)(seed >> 16 & 4095) - y;
      const int distance = ex * ex + ey * ey;
      if (distance < least) least = distance, best = seed;
    }
  out[y * side + x] = best;
}

// Cases of marching cubes: a byte for each cell, cells that the surface crosses are counted.
__global__ void cube_cases(unsigned char* out, unsigned* crossed, const float* in, int nx, int ny,
                           float level) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  unsigned corners = 0;
  if (x < nx - 1) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const size_t at = ((size_t)(z + k / 4) * ny + y + k / 2 % 2) * nx + x + k % 2;
      corners |= (in[at] < level) << k;
    }
    out[((size_t)z * ny + y) * nx + x] = corners;
  }
  const unsigned votes = __ballot_sync(~0u, corners != 0 && corners != 255);
  if (threadIdx.x % 32 == 0 && votes) atomicAdd(&crossed[z], __popc(votes));
}
