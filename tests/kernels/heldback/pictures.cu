// Pictures: filters, sizes, colours.

__device__ void order(unsigned char& a, unsigned char& b) {
  const unsigned char low = min(a, b);
  b = max(a, b);
  a = low;
}

// The median of nine bytes by a sorting network.
__global__ void median9(unsigned char* out, const unsigned char* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  unsigned char p[9];
  for (int k = 0; k < 9; ++k) p[k] = in[(size_t)(y + k / 3 - 1) * width + x + k % 3 - 1];
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
  order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]);
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
  order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]);
  order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]);
  order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]), order(p[4], p[2]);
  out[(size_t)y * width + x] = p[4];
}

// Edges of grey pixels, four at a time.
__global__ void edges(uchar4* out, const uchar4* in, int words, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= words - 1 || y >= height - 1) return;
  int v[3][6];
  for (int r = 0; r < 3; ++r) {
    const uchar4* row = in + (size_t)(y + r - 1) * words + x;
    const uchar4 a = row[-1], b = row[0], c = row[1];
    v[r][0] = a.w, v[r][1] = b.x, v[r][2] = b.y, v[r][3] = b.z, v[r][4] = b.w, v[r][5] = c.x;
  }
  unsigned char e[4];
  for (int k = 0; k < 4; ++k) {
    const int gx = v[0][k + 2] - v[0][k] + 2 * (v[1][k + 2] - v[1][k]) + v[2][k + 2] - v[2][k];
    const int gy = v[2][k] - v[0][k] + 2 * (v[2][k + 1] - v[0][k + 1]) + v[2][k + 2] - v[0][k + 2];
    e[k] = min(abs(gx) + abs(gy), 255);
  }
  out[(size_t)y * words + x] = make_uchar4(e[0], e[1], e[2], e[3]);
}

// A bilateral filter: exponentials for 49 neighbours.
__global__ void smooth(float* out, const float* in, int width, int height, float space,
                       float range) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float centre = in[(size_t)y * width + x];
  float sum = 0, weights = 0;
  for (int dy = -3; dy <= 3; ++dy)
    for (int dx = -3; dx <= 3; ++dx) {
      const int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
      const float v = in[(size_t)sy * width + sx], d = v - centre;
      const float weight = expf(-(dx * dx + dy * dy) * space - d * d * range);
      sum += weight * v, weights += weight;
    }
  out[(size_t)y * width + x] = sum / weights;
}

// Another size, four channels of a byte.
__global__ void resize(uchar4* out, const uchar4* in, int to_width, int to_height, int width,
                       int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to_width || y >= to_height) return;
  const float fx = (x + 0.5f) * width / to_width - 0.5f,
              fy = (y + 0.5f) * height / to_height - 0.5f;
  const int x0 = min(max((int)floorf(fx), 0), width - 2),
            y0 = min(max((int)floorf(fy), 0), height - 2);
  const float ax = fx - x0, ay = fy - y0;
  const uchar4 a = in[(size_t)y0 * width + x0], b = in[(size_t)y0 * width + x0 + 1],
               c = in[(size_t)(y0 + 1) * width + x0], d = in[(size_t)(y0 + 1) * width + x0 + 1];
  const auto mix = [&](int p, int q, int r, int s) {
    return (unsigned char)((1 - ay) * ((1 - ax) * p + ax * q) + ay * ((1 - ax) * r + ax * s));
  };
  out[(size_t)y * to_width + x] =
      make_uchar4(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), 255);
}

// A rotation: rows of the source lie across.
__global__ void rotate(float* out, const float* in, int width, int height, float s, float c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float dx = x - 0.5f * width, dy = y - 0.5f * height;
  const int sx = (int)(c * dx - s * dy + 0.5f * width), sy = (int)(s * dx + c * dy + 0.5f * height);
  const bool inside = sx >= 0 && sy >= 0 && sx < width && sy < height;
  out[(size_t)y * width + x] = inside ? in[(size_t)sy * width + sx] : 0.0f;
}

// Luma and halved chroma of packed pixels of three bytes.
__global__ void to_planes(unsigned char* luma, unsigned char* chroma, const unsigned char* in,
                          int width) {
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * blockIdx.y;
  int u = 0, v = 0;
  for (int k = 0; k < 4; ++k) {
    const size_t at = (size_t)(y + k / 2) * width + x + k % 2;
    const int r = in[3 * at], g = in[3 * at + 1], b = in[3 * at + 2];
    luma[at] = (77 * r + 150 * g + 29 * b) >> 8;
    u += 128 * b - 43 * r - 85 * g;
    v += 128 * r - 107 * g - 21 * b;
  }
  const size_t half = (size_t)blockIdx.y * width + x;
  chroma[half] = (u >> 10) + 128;
  chroma[half + 1] = (v >> 10) + 128;
}
