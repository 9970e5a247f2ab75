// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ const char *names[4] = {"ada", "grace", "emmy", ""};
__device__ int length(const char *s) { int n = 0; while (s[n]) ++n; return n; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int expected[4] = {3, 5, 4, 0};
  ok[t] = length(names[t & 3]) == expected[t & 3];
  if (!ok[t]) __trap();
}
