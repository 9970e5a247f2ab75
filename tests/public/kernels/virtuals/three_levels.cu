// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct A { __device__ virtual int f() { return 1; } __device__ virtual int g() { return 10 * f(); } };
struct B : A { __device__ int f() override { return 2; } };
struct C : B { __device__ int g() override { return 100 * f(); } };
__device__ __noinline__ int both(A *p) { return p->f() + p->g(); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  A a; B b; C c; A *all[3] = {&a, &b, &c}; const int expected[3] = {11, 22, 202};
  ok[t] = both(all[t % 3]) == expected[t % 3];
  if (!ok[t]) __trap();
}
