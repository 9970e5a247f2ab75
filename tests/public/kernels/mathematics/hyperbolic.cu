// gpx: --entry hyperbolic --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(float a, float b) {
  return fabsf(a - b) <= 1e-5f * (fabsf(b) + 1);
}

extern "C" __global__ void hyperbolic(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.11f * (T - 30);
  bool good = near(sinhf(x), (expf(x) - expf(-x)) / 2) &&
              near(coshf(x), (expf(x) + expf(-x)) / 2) &&
              near(tanhf(x), sinhf(x) / coshf(x)) &&
              near(asinhf(sinhf(x)), x);
  ok[T] = good;
}
