// gpx: --entry convert<float,int> --grid 1 --block 32 --buffer out=128B --buffer in=128B:uniform(0,9)
#include <type_traits>
#include <utility>
template <typename T, typename = typename std::enable_if<std::is_floating_point<T>::value>::type> __device__ T rounded(T x) { return x + T(0.5); }
template <typename A, typename B> __global__ void convert(B *out, const A *in) {
  static_assert(std::is_integral<B>::value, "B");
  if constexpr (std::is_same<A, float>::value) out[threadIdx.x] = (B)rounded(in[threadIdx.x]);
  else out[threadIdx.x] = (B)in[threadIdx.x];
}
int main() { std::pair<int, int> p{1, 2}; convert<float, int><<<1, 32>>>(nullptr, nullptr); return p.first; }
