// Convolutions of images.
__constant__ float weights[25] = {1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
                                  24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1};

__global__ void convolve(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
  float sum = 0;
  for (int v = -2; v <= 2; ++v)
    for (int u = -2; u <= 2; ++u) sum += weights[(v + 2) * 5 + u + 2] * in[(y + v) * width + x + u];
  out[y * width + x] = sum / 256;
}

// A box of 2 r + 1 along rows.
__global__ void blur_rows(float* out, const float* in, int width, int height, int r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < r || x >= width - r || y >= height) return;
  float sum = 0;
  for (int u = -r; u <= r; ++u) sum += in[y * width + x + u];
  out[y * width + x] = sum / (2 * r + 1);
}

__global__ void blur_columns(float* out, const float* in, int width, int height, int r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y < r || y >= height - r) return;
  float sum = 0;
  for (int v = -r; v <= r; ++v) sum += in[(y + v) * width + x];
  out[y * width + x] = sum / (2 * r + 1);
}

// Bytes, three to a pixel.
__global__ void grey(unsigned char* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[3 * i] * 77 + in[3 * i + 1] * 151 + in[3 * i + 2] * 28) >> 8;
}
