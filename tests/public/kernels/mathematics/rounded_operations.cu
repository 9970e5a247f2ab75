// gpx: --entry rounded_operations --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void rounded_operations(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = 1 + T * 0.37f, b = 3 + T * 0.011f;
  const double sum = (double)a + b, product = (double)a * b;
  bool good = __fadd_rd(a, b) <= sum && __fadd_ru(a, b) >= sum && __fmul_rd(a, b) <= product && __fmul_ru(a, b) >= product &&
              __fmul_rn(a, b) == (float)product && __fmaf_rn(a, b, 1) == fmaf(a, b, 1) && __fdiv_ru(a, b) >= __fdiv_rd(a, b);
  ok[T] = good;
}
