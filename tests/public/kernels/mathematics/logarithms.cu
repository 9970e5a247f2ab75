// gpx: --entry logarithms --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void logarithms(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.3f * (T + 1);
  bool good = near(logf(x), (float)log((double)x)) &&
              near(log2f(x), (float)log2((double)x)) &&
              near(log1pf(x), logf(1 + x)) &&
              near(log10f(x), (float)log10((double)x));
  ok[T] = good;
}
