// Trip counts that diverge.
__global__ void mandelbrot(int* out, int width, int height, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
  float x = 0, y = 0;
  int k = 0;
  while (k < most && x * x + y * y < 4) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++k;
  }
  out[py * width + px] = k;
}

// Four ways through a block of code, by lane.
__global__ void four_ways(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  for (int k = 0; k < rounds; ++k) {
    switch (i & 3) {
      case 0:
        v = v * 1.0001f + 1;
        break;
      case 1:
        v = sqrtf(v + 2);
        break;
      case 2:
        v = __sinf(v) * 3;
        break;
      default:
        v = v / 1.3f - 1;
        break;
    }
  }
  out[i] = v;
}
