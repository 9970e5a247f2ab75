// gpx: --entry sines --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void sines(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.11f * (T - 30);
  bool good = near(sinf(x), (float)sin((double)x)) &&
              near(cosf(x), (float)cos((double)x)) &&
              near(tanf(x) * cosf(x), sinf(x)) &&
              near(sinf(x) * sinf(x) + cosf(x) * cosf(x), 1);
  ok[T] = good;
}
