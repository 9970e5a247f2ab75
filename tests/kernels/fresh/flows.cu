// Fluids and fields.

// Nineteen populations of a lattice pulled from their neighbours and relaxed, periodic in x.
__global__ void pull_nineteen(float* out, const float* in, int nx, int ny, int nz, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= nx) return;
  const size_t cells = (size_t)nx * ny * nz, here = ((size_t)z * ny + y) * nx + x;
  float f[19], density = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int k = 0; k < 19; ++k) {
    constexpr int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    constexpr int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    constexpr int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    int px = x - cx[k], py = y - cy[k], pz = z - cz[k];
    px = px < 0 ? nx - 1 : px >= nx ? 0 : px;
    py = py < 0 ? ny - 1 : py >= ny ? 0 : py;
    pz = pz < 0 ? nz - 1 : pz >= nz ? 0 : pz;
    f[k] = in[k * cells + ((size_t)pz * ny + py) * nx + px];
    density += f[k], ux += cx[k] * f[k], uy += cy[k] * f[k], uz += cz[k] * f[k];
  }
  const float inverse = 1 / (density + 1e-6f);
  ux *= inverse, uy *= inverse, uz *= inverse;
  const float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int k = 0; k < 19; ++k) {
    constexpr int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    constexpr int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    constexpr int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    const float weight = k == 0 ? 1.0f / 3 : k < 7 ? 1.0f / 18 : 1.0f / 36;
    const float cu = 3 * (cx[k] * ux + cy[k] * uy + cz[k] * uz);
    const float rest = weight * density * (1 + cu + 0.5f * cu * cu - square);
    out[k * cells + here] = f[k] + omega * (rest - f[k]);
  }
}

// Fluxes along rows by three weighted stencils of five points, with divisions.
__device__ inline float face(float a, float b, float c, float d, float e) {
  const float s0 =
      13 * (a - 2 * b + c) * (a - 2 * b + c) + 3 * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  const float s1 = 13 * (b - 2 * c + d) * (b - 2 * c + d) + 3 * (b - d) * (b - d);
  const float s2 =
      13 * (c - 2 * d + e) * (c - 2 * d + e) + 3 * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  const float w0 = 0.1f / ((1e-5f + s0) * (1e-5f + s0)), w1 = 0.6f / ((1e-5f + s1) * (1e-5f + s1)),
              w2 = 0.3f / ((1e-5f + s2) * (1e-5f + s2));
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) /
         (6 * (w0 + w1 + w2));
}
__global__ void weighted_fluxes(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 3 || x >= width - 3 || y >= height) return;
  const float* p = in + (size_t)y * width + x;
  const float right = face(p[-2], p[-1], p[0], p[1], p[2]);
  const float left = face(p[-3], p[-2], p[-1], p[0], p[1]);
  out[(size_t)y * width + x] = p[0] - 0.2f * (right - left);
}

// Columns of air from the top down and up again: levels apart, branches by temperature.
__global__ void heat_columns(float* heating, const float* warmth, const float* moisture,
                             int columns, int levels) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float down = 1;
  for (int k = 0; k < levels; ++k) {
    const size_t at = (size_t)k * columns + c;
    const float t = 200 + 100 * warmth[at], q = moisture[at];
    const float depth =
        t < 250 ? 0.1f * q * __expf(0.02f * (t - 250)) : 0.3f * q * sqrtf(t * 0.004f);
    const float passed = __expf(-depth);
    heating[at] = down * (1 - passed);
    down = down * passed + (1 - passed) * __powf(t * 0.0033f, 4.0f);
  }
  float up = 1.2f;
  for (int k = levels - 1; k >= 0; --k) {
    const size_t at = (size_t)k * columns + c;
    const float passed = __expf(-0.2f * moisture[at]);
    heating[at] += up * (1 - passed);
    up = up * passed + (1 - passed) * 0.5f;
  }
}
