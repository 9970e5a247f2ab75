// gpx: --entry transform<float,Plus<float>> --grid 1 --block 64 --buffer out=256B --buffer in=256B:uniform(0,1) --arg n=64 --arg op=struct(f32(2))
#include <functional>
#include <algorithm>
#include <numeric>
template <typename T> struct Plus {
  T amount;
  explicit Plus(T a) : amount(a) {}
  __device__ T operator()(const T &x) const { return x + amount; }
};
template <typename T> struct Times { T f; __device__ T operator()(T x) const { return x * f; } };
template <typename T, typename Op> __global__ void transform(T *out, const T *in, int n, Op op) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = op(in[i]);
}
template <typename T, typename Op> void launch(T *out, const T *in, int n, Op op) {
  transform<T, Op><<<1, 64>>>(out, in, n, op);
}
int main() {
  float *a = 0, *b = 0;
  launch(a, b, 64, Plus<float>(2.f));
  std::function<float(float)> f = [](float x) { return x; };
  return (int)f(0);
}
