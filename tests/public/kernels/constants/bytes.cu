// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__constant__ unsigned char mask[5] = {255, 1, 128, 7, 0};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int n = 0; for (int i = 0; i < 5; ++i) n += __popc(mask[i]);
  ok[t] = n == 13;
  if (!ok[t]) __trap();
}
