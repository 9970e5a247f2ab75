// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <assert.h>
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  __shared__ int s[32]; assert(blockDim.x == 32); s[t] = t; __syncthreads();
  ok[t] = s[31 - t] == 31 - t;
  if (!ok[t]) __trap();
}
