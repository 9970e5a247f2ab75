// griddepcontrol, by hand: clocks of one more griddepcontrol.wait where no grid is waited for, and
// of one more griddepcontrol.launch_dependents where none depends. No code of gpx: clocks of 32 of
// them minus those of 16, over 16, the least of 11 launches. Output: what,clocks. Needs compute
// capability 9.0. Usage: grid_dependency
#include <algorithm>

#include "check.h"

template <int count, bool waits>
__global__ void dependency(long long* out) {
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (waits)
        asm volatile("griddepcontrol.wait;" ::: "memory");
      else
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
    const long long end = clock64();
    if (threadIdx.x == 0) *out = end - begin;
  }
}

template <int count, bool waits>
double clocks(long long* out) {
  long long least = 1ll << 40;
  for (int i = 0; i < 11; ++i) {
    dependency<count, waits><<<1, 32>>>(out);
    CHECK(cudaGetLastError());
    long long taken = 0;
    CHECK(cudaMemcpy(&taken, out, sizeof taken, cudaMemcpyDeviceToHost));
    least = std::min(least, taken);
  }
  return static_cast<double>(least);
}

int main() {
  long long* out = nullptr;
  CHECK(cudaMalloc(&out, sizeof *out));
  std::printf("what,clocks\n");
  std::printf("wait,%.2f\n", (clocks<32, true>(out) - clocks<16, true>(out)) / 16);
  std::printf("launch_dependents,%.2f\n", (clocks<32, false>(out) - clocks<16, false>(out)) / 16);
}
