// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
typedef float (*Fn)(float, float);
__device__ float fadd(float a, float b) { return a + b; }
__device__ float fsub(float a, float b) { return a - b; }
__device__ float fmul(float a, float b) { return a * b; }
__device__ float fmaxx(float a, float b) { return a > b ? a : b; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Fn f; switch (t & 3) { case 0: f = fadd; break; case 1: f = fsub; break; case 2: f = fmul; break; default: f = fmaxx; } const float a = t, b = 3; const float e[4] = {a + b, a - b, a * b, a > b ? a : b};
  ok[t] = f(a, b) == e[t & 3];
  if (!ok[t]) __trap();
}
