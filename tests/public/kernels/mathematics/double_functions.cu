// gpx: --entry double_functions --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ bool near(double a, double b) {
  return fabs(a - b) <= 1e-13 * (fabs(b) + 1);
}

extern "C" __global__ void double_functions(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = 0.11 * (T - 30);
  bool good = near(sin(x) * sin(x) + cos(x) * cos(x), 1) &&
              near(log(exp(x)), x) &&
              near(pow(exp(x), 2.0), exp(2 * x)) &&
              near(cbrt(x) * cbrt(x) * cbrt(x), x);
  ok[T] = good;
}
