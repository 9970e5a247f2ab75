// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct L { int l = 3; __device__ virtual int left() { return l; } };
struct M { int m = 5; __device__ virtual int right() { return m; } };
struct Both : L, M { __device__ int right() override { return l + m + 100; } };
__device__ __noinline__ int call_right(M *p) { return p->right(); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Both b; M m;
  ok[t] = call_right(&b) == 108 && call_right(&m) == 5;
  if (!ok[t]) __trap();
}
