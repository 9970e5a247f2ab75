// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Base { __device__ virtual int id() { return 1; } };
struct Derived : Base { __device__ int id() override { return 2; } };
__device__ __noinline__ int ask(Base &b) { return b.id(); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Base b; Derived d;
  ok[t] = ask(b) == 1 && ask(d) == 2;
  if (!ok[t]) __trap();
}
