// Launches that follow each other: what one leaves in L2 the next one finds.
__global__ void load_all(float* out, const float* in, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  if (sum == 1.5f) out[0] = sum;
}

__global__ void store_all(float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = 2.0f;
}

// Many instructions for each word, in an order that no loop keeps: a part of the grid stands for it.
__global__ void work_on(float* out, const float* in, int rounds) {
  float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < rounds; ++k) value = value * 0.5f + 1.0f;
  if (value == 7.0f) out[0] = value;
}

namespace tools {
template <int kStep>
__global__ void load_some(float* out, const float* in, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * kStep;
  if (i < n && in[i] == 1.5f) out[0] = 1;
}
}  // namespace tools
