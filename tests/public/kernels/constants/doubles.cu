// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ double c[3] = {0.1, 0.2, 0.3};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = c[0] + c[1] != c[2] && fabs(c[0] + c[1] - c[2]) < 1e-15;
  if (!ok[t]) __trap();
}
