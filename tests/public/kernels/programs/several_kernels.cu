// gpx: --entry step1 --grid 1 --block 32 --buffer a=128B:index
// gpx: --entry step2 --grid 1 --block 32 --buffer b=128B:index --arg k=3
// gpx: --entry Step3 --grid 1 --block 32 --buffer c=256B:uniform(0,1)
#include <stdio.h>
__device__ int counter;
__device__ __forceinline__ int helper(int x) { return x * 3 + 1; }
__global__ void step1(int *a) { a[threadIdx.x] = helper(a[threadIdx.x]); }
static __global__ void step2(int *b, int k) { b[threadIdx.x] += k; if (threadIdx.x == 0) atomicAdd(&counter, 1); }
extern "C" __global__ void Step3(double *c) { c[threadIdx.x] = sqrt(c[threadIdx.x]); }
void all(int *d, double *e) { step1<<<1, 32>>>(d); step2<<<1, 32>>>(d, 3); Step3<<<1, 32>>>(e); int h; cudaMemcpyFromSymbol(&h, counter, 4); printf("%d", h); }
