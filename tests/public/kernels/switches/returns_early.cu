// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ float area(int kind, float a, float b) { switch (kind) { case 0: return a * a; case 1: return a * b; case 2: return a * b / 2; } return -1; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const float e[4] = {9, 12, 6, -1};
  ok[t] = area(t & 3, 3, 4) == e[t & 3];
  if (!ok[t]) __trap();
}
