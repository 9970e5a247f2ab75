// Launches that find in L2 what others left, and instances of templates.

template <int STEP>
__global__ void scatter_steps(float* out, const float* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[(size_t)i * STEP % n] = in[i] * 2;
}

__global__ void write_rows(float4* out, int n, float value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = make_float4(value, i, value, i);
}

__global__ void read_backwards(float* out, const float4* in, int n) {
  float sum = 0;
  for (int i = n - 1 - blockIdx.x * blockDim.x - threadIdx.x; i >= 0; i -= gridDim.x * blockDim.x) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename T, int EACH>
__global__ void three_points(T* out, const T* in, int n) {
  const int base = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  T v[EACH + 2];
#pragma unroll
  for (int k = 0; k < EACH + 2; ++k) v[k] = base + k < n ? in[base + k] : T(0);
#pragma unroll
  for (int k = 0; k < EACH; ++k)
    if (base + k < n) out[base + k] = (v[k] + v[k + 1] + v[k + 2]) * T(0.333);
}
