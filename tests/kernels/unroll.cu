// Each thread adds up UNROLL elements of type T, both of which an experiment defines.
extern "C" __global__ void total(T* out, const T* in) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) sum += in[i * gridDim.x * blockDim.x + thread];
  out[thread] = sum;
}
