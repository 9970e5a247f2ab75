// gpx: --entry k --grid 1 --block 32 --buffer o=128B
#include <exception>
__global__ void k(int *o) { o[threadIdx.x] = threadIdx.x; }
int run() {
  int *d = nullptr;
  if (cudaMalloc(&d, 128) != cudaSuccess) goto fail;
  try { k<<<1, 32>>>(d); } catch (const std::exception &e) { return 1; } catch (...) { goto fail; }
  cudaFree(d); return 0;
fail:
  cudaFree(d); return -1;
}
auto trailing(int a) -> decltype(a + 1) { return run() + a; }
int main() try { return trailing(1); } catch (...) { return 2; }
