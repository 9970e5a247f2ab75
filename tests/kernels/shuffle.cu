// A sum with shuffles, and an atomic addition for each warp.
extern "C" __global__ void shuffle_sum(float* sum, const float* values, int count) {
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    own += values[i];
  for (int half = 16; half > 0; half /= 2) own += __shfl_down_sync(0xffffffffu, own, half);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
