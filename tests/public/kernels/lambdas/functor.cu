// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Affine { int a, b; __device__ int operator()(int x) const { return a * x + b; } };
template <typename F, typename G> __device__ auto compose(F f, G g) { return [=](int x) { return f(g(x)); }; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = compose(Affine{2, 1}, Affine{3, 4})(t) == 2 * (3 * t + 4) + 1;
  if (!ok[t]) __trap();
}
