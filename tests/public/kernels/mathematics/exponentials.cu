// gpx: --entry exponentials --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void exponentials(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.11f * (T - 30);
  bool good = near(expf(x), (float)exp((double)x)) &&
              near(exp2f(x), (float)exp2((double)x)) &&
              near(expm1f(x) + 1, expf(x)) &&
              near(exp10f(x * 0.1f), (float)exp10((double)(x * 0.1f)));
  ok[T] = good;
}
