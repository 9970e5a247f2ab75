// Convolutions and filters in one, two and three dimensions.
#include <cuda_fp16.h>

__constant__ float tap[128];
__constant__ float lut[4096] = {0.5f, 1.5f, 2.5f};

// A finite filter over a signal: taps in constant memory, a block's piece in shared memory.
__global__ void fir(float* out, const float* in, int n, int taps) {
  extern __shared__ float piece[];
  const int first = blockIdx.x * blockDim.x * 4;
  for (int i = threadIdx.x; i < blockDim.x * 4 + taps; i += blockDim.x)
    piece[i] = first + i < n ? in[first + i] : 0.0f;
  __syncthreads();
  float sum[4] = {};
  for (int k = 0; k < taps; ++k)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      sum[j] = fmaf(tap[k], piece[threadIdx.x + j * blockDim.x + k], sum[j]);
  for (int j = 0; j < 4; ++j)
    if (first + threadIdx.x + j * blockDim.x < n)
      out[first + threadIdx.x + j * blockDim.x] = sum[j];
}

// 3 x 3 over channels, eight outputs of a thread, weights of all channels through shared memory.
__global__ void direct_channels(float* out, const float* in, const float* weight, int side,
                                int channels) {
  __shared__ float picture[18][18], w[8][9];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  const int gx = blockIdx.x * 16, gy = blockIdx.y * 16;
  float sum[8] = {};
  for (int c = 0; c < channels; ++c) {
    __syncthreads();
    for (int i = t; i < 324; i += 256) {
      const int px = gx + i % 18 - 1, py = gy + i / 18 - 1;
      const bool inside = px >= 0 && py >= 0 && px < side && py < side;
      picture[i / 18][i % 18] = inside ? in[((size_t)c * side + py) * side + px] : 0.0f;
    }
    if (t < 72) w[t / 9][t % 9] = weight[((blockIdx.z * 8 + t / 9) * channels + c) * 9 + t % 9];
    __syncthreads();
    float v[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) v[k] = picture[y + k / 3][x + k % 3];
#pragma unroll
    for (int o = 0; o < 8; ++o)
#pragma unroll
      for (int k = 0; k < 9; ++k) sum[o] = fmaf(v[k], w[o][k], sum[o]);
  }
  for (int o = 0; o < 8; ++o)
    out[((size_t)(blockIdx.z * 8 + o) * side + gy + y) * side + gx + x] = sum[o];
}

// 5 x 5 for each channel by itself, channels last, pairs of halves.
__global__ void depthwise(__half2* out, const __half2* in, const __half2* weight, int side,
                          int pairs) {
  const int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y;
  if (x >= side || c >= pairs) return;
  __half2 sum = __float2half2_rn(0.0f);
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int px = x + dx, py = y + dy;
      if (px < 0 || py < 0 || px >= side || py >= side) continue;
      sum = __hfma2(in[((size_t)py * side + px) * pairs + c],
                    weight[((dy + 2) * 5 + dx + 2) * pairs + c], sum);
    }
  out[((size_t)y * side + x) * pairs + c] = sum;
}

// 3 x 3 x 3 with 27 weights in registers; a brick with its halo in shared memory.
__global__ void brick27(float* out, const float* in, const float* weight, int nx, int ny, int nz) {
  __shared__ float brick[6][10][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, z0 = blockIdx.z * 4;
  const int t = (threadIdx.z * 8 + threadIdx.y) * 32 + threadIdx.x;
  for (int i = t; i < 2040; i += 1024) {
    const int x = min(max(x0 + i % 34 - 1, 0), nx - 1),
              y = min(max(y0 + i / 34 % 10 - 1, 0), ny - 1);
    const int z = min(max(z0 + i / 340 - 1, 0), nz - 1);
    brick[i / 340][i / 34 % 10][i % 34] = in[((size_t)z * ny + y) * nx + x];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 27; ++k)
    sum = fmaf(weight[k], brick[threadIdx.z + k / 9][threadIdx.y + k / 3 % 3][threadIdx.x + k % 3],
               sum);
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
  if (x < nx && y < ny && z < nz) out[((size_t)z * ny + y) * nx + x] = sum;
}

// Columns of a picture for a product: every element copied nine times.
__global__ void to_columns(float* out, const float* in, int channels, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, area = side * side;
  if (i >= channels * area) return;
  const int c = i / area, y = i % area / side, x = i % side;
  for (int k = 0; k < 9; ++k) {
    const int px = x + k % 3 - 1, py = y + k / 3 - 1;
    const bool inside = px >= 0 && py >= 0 && px < side && py < side;
    out[((size_t)c * 9 + k) * area + y * side + x] =
        inside ? in[(size_t)c * area + py * side + px] : 0;
  }
}

// Tiles of 4 x 4, two apart, as Winograd's algorithm wants them.
__global__ void winograd_in(float* out, const float* in, int side, int tiles) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;
  if (x >= tiles) return;
  float d[4][4], e[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2* at = (const float2*)&in[((size_t)c * side + 2 * y + i) * side + 2 * x];
    const float2 p = at[0], q = at[1];
    d[i][0] = p.x - q.x, d[i][1] = p.y + q.x, d[i][2] = q.x - p.y, d[i][3] = p.y - q.y;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
    e[0][j] = d[0][j] - d[2][j], e[1][j] = d[1][j] + d[2][j], e[2][j] = d[2][j] - d[1][j],
    e[3][j] = d[1][j] - d[3][j];
#pragma unroll
  for (int k = 0; k < 16; ++k)
    out[(((size_t)k * gridDim.z + c) * tiles + y) * tiles + x] = e[k / 4][k % 4];
}

// Erosion over a window of `width` by van Herk: minima forward and back in shared memory.
__global__ void erode_rows(unsigned char* out, const unsigned char* in, int columns, int width) {
  extern __shared__ unsigned char line[];
  unsigned char *forward = line, *back = line + columns + width;
  const unsigned char* row = in + (size_t)blockIdx.x * columns;
  for (int start = threadIdx.x * width; start < columns; start += blockDim.x * width) {
    const int end = min(start + width, columns);
    int least = 255;
    for (int i = start; i < end; ++i) forward[i] = least = min(least, (int)row[i]);
    least = 255;
    for (int i = end - 1; i >= start; --i) back[i] = least = min(least, (int)row[i]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i + width <= columns; i += blockDim.x)
    out[(size_t)blockIdx.x * columns + i] = min(back[i], forward[i + width - 1]);
}

// Colours through a table of 16^3 in constant memory (own places) or global memory.
__global__ void grade_colours(uchar4* out, const uchar4* in, const float* table, int n,
                              int constant) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 p = in[i];
  const float r = p.x * (15.0f / 256.0f), g = p.y * (15.0f / 256.0f), b = p.z * (15.0f / 256.0f);
  const int x = (int)r, y = (int)g, z = (int)b;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int at = ((z + k / 4) * 16 + y + k / 2 % 2) * 16 + x + k % 2;
    const float w =
        (k % 2 ? r - x : x + 1 - r) * (k / 2 % 2 ? g - y : y + 1 - g) * (k / 4 ? b - z : z + 1 - b);
    sum = fmaf(w, constant ? lut[at] : table[at], sum);
  }
  out[i] = make_uchar4((unsigned char)(sum * p.x), (unsigned char)(sum * p.y),
                       (unsigned char)(sum * p.z), 255);
}

// The largest of 2 x 2 and where it was, two pixels wide reads.
__global__ void pool_places(float* out, unsigned char* place, const float2* in, int half,
                            int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= half || y >= rows) return;
  const float2 a = in[(size_t)(2 * y) * half + x], b = in[(size_t)(2 * y + 1) * half + x];
  float most = a.x;
  int at = 0;
  if (a.y > most) most = a.y, at = 1;
  if (b.x > most) most = b.x, at = 2;
  if (b.y > most) most = b.y, at = 3;
  out[(size_t)y * half + x] = most;
  place[(size_t)y * half + x] = at;
}
