// gpx: --entry argmin --grid 1 --block 64 --buffer out=4B --buffer in=1KB:uniform(0,1) --arg n=256
#include <limits>
#include <algorithm>
#include <cstdint>
__global__ void argmin(float *out, const float *in, int n) {
  float best = std::numeric_limits<float>::max();
  for (int i = threadIdx.x; i < n; i += blockDim.x) best = std::min(best, in[i]);
  __shared__ float s[64]; s[threadIdx.x] = best; __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < 64; ++i) best = fminf(best, s[i]); *out = best; }
}
int main() { double d = std::numeric_limits<double>::infinity(); return d > 3; }
