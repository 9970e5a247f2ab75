// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ __noinline__ int leaf(const int *p) { int own[2] = {p[0], p[1]}; return own[p[0] & 1] + 1; }
__device__ __noinline__ int middle(const int *p) { int own[3] = {p[0] + 1, p[1] + 2, 9}; return leaf(own) + leaf(own + 1); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[2] = {t, 2 * t}; const int x = t + 1, y = 2 * t + 2;
  ok[t] = middle(a) == (x & 1 ? y : x) + 1 + (y & 1 ? 9 : y) + 1;
  if (!ok[t]) __trap();
}
