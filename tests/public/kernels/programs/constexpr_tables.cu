// gpx: --entry lookup --grid 1 --block 64 --buffer out=256B --buffer in=64B:hash
#include <array>
#include <cstdint>
#include <initializer_list>
constexpr int kWeights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
constexpr int sum(const int *w, int n) { return n == 0 ? 0 : w[n - 1] + sum(w, n - 1); }
constexpr int kTotal = sum(kWeights, 8);
static_assert(kTotal == 255, "table");
__constant__ float kTable[4] = {0.5f, 1.5f, 2.5f, 3.5f};
template <int N> struct Pow2 { static constexpr int value = 2 * Pow2<N - 1>::value; };
template <> struct Pow2<0> { static constexpr int value = 1; };
__global__ void lookup(float *out, const uint8_t *in) {
  const uint8_t v = in[threadIdx.x];
  out[threadIdx.x] = kTable[v & 3] * kTotal + Pow2<5>::value;
}
int main() { std::array<int, 3> a{{1, 2, 3}}; lookup<<<1, a.size()>>>(nullptr, nullptr); for (int x : {1, 2}) (void)x; }
