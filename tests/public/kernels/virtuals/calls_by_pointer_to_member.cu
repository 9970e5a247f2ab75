// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct S { int v; __device__ int add(int x) { return v + x; } __device__ int sub(int x) { return v - x; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int (S::*f)(int) = (t & 1) ? &S::add : &S::sub; S s{10};
  ok[t] = (s.*f)(t) == ((t & 1) ? 10 + t : 10 - t);
  if (!ok[t]) __trap();
}
