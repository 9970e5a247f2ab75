// Blocks of one warp and so much shared memory that few of them fit into an SM. They wait so many clocks and leave no
// result.
__global__ void waits(long long clocks) {
  __shared__ unsigned held[48 * 256];
  const long long begin = clock64();
  held[threadIdx.x] = threadIdx.x;
  while (clock64() - begin < clocks) {
  }
  if (held[threadIdx.x] != threadIdx.x) __trap();
}
