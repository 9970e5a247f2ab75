// gpx: --entry powers --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void powers(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.3f * (T + 1);
  bool good = near(powf(x, 2.5f), (float)pow((double)x, 2.5)) &&
              near(cbrtf(x * x * x), x) &&
              near(sqrtf(x * x), x) &&
              near(hypotf(3 * x, 4 * x), 5 * x) &&
              near(rsqrtf(x) * sqrtf(x), 1);
  ok[T] = good;
}
