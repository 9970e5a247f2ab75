// Small launches, and grids that do not fill their last wave.
__global__ void nothing() {}

__global__ void add_few(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}

__global__ void long_blocks(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  for (int k = 0; k < rounds; ++k) v = v * 0.999f + 1;
  out[i] = v;
}

// Later blocks take longer.
__global__ void triangle(float* out, const float* in, int n) {
  const int row = blockIdx.x;
  float sum = 0;
  for (int c = threadIdx.x; c <= row; c += blockDim.x) sum += in[row * n + c];
  out[row * blockDim.x + threadIdx.x] = sum;
}
