// gpx: --entry errors --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void errors(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.11f * (T - 30);
  bool good = near(erff(x) + erfcf(x), 1) &&
              near(erff(-x), -erff(x)) &&
              near(normcdff(x) + normcdff(-x), 1) &&
              near(tgammaf(fabsf(x) + 2), (fabsf(x) + 1) * tgammaf(fabsf(x) + 1));
  ok[T] = good;
}
