// gpx: --entry fast_functions --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void fast_functions(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = 0.1f * (T + 1);
  bool good = fabsf(__expf(x) - expf(x)) <= 1e-5f * expf(x) && fabsf(__logf(x) - logf(x)) <= 1e-5f && fabsf(__sinf(x) - sinf(x)) <= 1e-5f * (1 + x) &&
              fabsf(__fdividef(x, 3) - x / 3) <= 1e-6f * x && fabsf(__powf(x, 1.5f) - powf(x, 1.5f)) <= 1e-4f * (1 + powf(x, 1.5f));
  ok[T] = good;
}
