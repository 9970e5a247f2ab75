// gpx: --entry roundings --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void roundings(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.11f * (T - 30);
  bool good = near(floorf(x) + 1, ceilf(x) + (x == floorf(x) ? 1 : 0)) &&
              near(truncf(-x), -truncf(x)) &&
              near(rintf(x + 0.25f), nearbyintf(x + 0.25f)) &&
              near(fmodf(x, 0.7f), (float)fmod((double)x, (double)0.7f));
  ok[T] = good;
}
