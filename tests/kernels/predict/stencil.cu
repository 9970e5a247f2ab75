// Stencils of one, two and three dimensions.
#define R 4

__global__ void stencil_line(float* out, const float* in, int n) {
  __shared__ float tile[256 + 2 * R];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + R;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x < R) {
    tile[threadIdx.x] = i >= R ? in[i - R] : 0;
    tile[t + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -R; k <= R; ++k) sum += tile[t + k];
  if (i < n) out[i] = sum / (2 * R + 1);
}

__global__ void stencil_plane(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void stencil_nine(float* out, const float* in, int width, int height) {
  __shared__ float tile[18][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int v = threadIdx.y; v < 18; v += 16)
    for (int u = threadIdx.x; u < 34; u += 32) {
      const int gx = min(max((int)blockIdx.x * 32 + u - 1, 0), width - 1);
      const int gy = min(max((int)blockIdx.y * 16 + v - 1, 0), height - 1);
      tile[v][u] = in[gy * width + gx];
    }
  __syncthreads();
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int v = 0; v < 3; ++v)
    for (int u = 0; u < 3; ++u) sum += tile[threadIdx.y + v][threadIdx.x + u];
  out[y * width + x] = sum / 9;
}

__global__ void stencil_space(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int plane = nx * ny, i = z * plane + y * nx + x;
  out[i] = 0.4f * in[i] +
           0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane]);
}

// A column of the third dimension stays in registers.
__global__ void stencil_march(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  int i = y * nx + x;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    const float above = in[i + plane];
    out[i] = 0.4f * here + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above);
    below = here, here = above;
  }
}
