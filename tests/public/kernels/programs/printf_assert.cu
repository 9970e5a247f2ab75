// gpx: --entry check --grid 1 --block 32 --buffer v=128B:index --arg n=32
#include <assert.h>
#include <stdio.h>
__global__ void check(int *v, int n) {
  int i = threadIdx.x;
  assert(i < n && "too many threads");
  v[i] += 1;
}
int main() { check<<<1, 32>>>(NULL, 32); cudaError_t e = cudaDeviceSynchronize(); if (cudaErrorAssert == e) printf("assert: %s\n", cudaGetErrorString(e)); return e; }
