// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ long long big[3] = {-1, 9223372036854775807ll, -9223372036854775807ll - 1};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = big[0] == -1 && big[1] + big[2] == -1;
  if (!ok[t]) __trap();
}
