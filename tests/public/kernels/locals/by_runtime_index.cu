// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int a[4] = {1, 2, 3, 4}; a[t & 3] = 100;
  ok[t] = a[t & 3] == 100 && a[(t + 1) & 3] == ((t + 1) & 3) + 1;
  if (!ok[t]) __trap();
}
