// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = grid[t % 3][t % 4] == t % 3 * 4 + t % 4 + 1;
  if (!ok[t]) __trap();
}
