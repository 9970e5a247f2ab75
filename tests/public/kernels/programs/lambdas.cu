// gpx: --entry fill --grid 1 --block 64 --buffer p=256B
#include <vector>
#include <algorithm>
#include <utility>
template <typename F> __device__ void for_each_index(int n, F f) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
__global__ void fill(int *p) {
  int k = 3;
  auto g = [=](int i) { p[i] = i * k; };
  for_each_index(64, g);
}
int main() {
  std::vector<int> v(10);
  std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
  auto it = std::max_element(v.begin(), v.end());
  return *it;
}
