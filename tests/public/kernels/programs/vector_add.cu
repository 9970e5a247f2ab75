// gpx: --entry vectorAdd --grid 4 --block 256 --buffer A=4KB:uniform(0,1) --buffer B=4KB:uniform(0,1) --buffer C=4KB:zero --arg numElements=1000
#include <stdio.h>
#include <cuda_runtime.h>
#include <vector>
#include <iostream>
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) C[i] = A[i] + B[i] + 0.0f;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 50000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) { a[i] = rand() / (float)RAND_MAX; b[i] = 1.f / (i + 1); }
  float *dA = nullptr, *dB, *dC;
  CHECK(cudaMalloc((void **)&dA, n * sizeof(float)));
  CHECK(cudaMalloc(&dB, n * sizeof(float)));
  CHECK(cudaMalloc(&dC, n * sizeof(float)));
  CHECK(cudaMemcpy(dA, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  vectorAdd<<<(n + 255) / 256, 256>>>(dA, dB, dC, n);
  CHECK(cudaGetLastError());
  std::cout << "Test PASSED\n" << std::endl;
  return EXIT_SUCCESS;
}
