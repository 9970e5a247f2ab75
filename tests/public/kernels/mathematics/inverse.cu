// gpx: --entry inverse --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void inverse(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.03f * (T - 32);
  bool good = near(asinf(x), (float)asin((double)x)) &&
              near(acosf(x), (float)acos((double)x)) &&
              near(atanf(x), (float)atan((double)x)) &&
              near(atan2f(x, 0.5f), (float)atan2((double)x, 0.5));
  ok[T] = good;
}
