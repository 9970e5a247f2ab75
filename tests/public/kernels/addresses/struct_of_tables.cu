// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Api { int (*add)(int, int); float (*scale)(float); const char *name; int version; };
__device__ int add(int a, int b) { return a + b; }
__device__ float half_of(float x) { return x / 2; }
__device__ const Api api = {add, half_of, "api", 7};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const Api *volatile p = &api;
  ok[t] = p->add(t, 3) == t + 3 && p->scale(8.0f) == 4.0f && p->name[1] == 'p' && p->version == 7;
  if (!ok[t]) __trap();
}
