// gpx: --entry tile --grid 2 --block 32 --buffer o=256B --define TILE=8 --define REAL=float
#include <stdio.h>
#ifndef TILE
#error "TILE must be given"
#endif
__global__ void tile(REAL *o) { __shared__ REAL s[TILE]; if (threadIdx.x < TILE) s[threadIdx.x] = threadIdx.x; __syncthreads(); o[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x % TILE]; }
int main() { printf("%d\n", TILE); tile<<<2, 32>>>(NULL); }
