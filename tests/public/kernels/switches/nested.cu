// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int r; switch (t & 1) { case 0: switch (t >> 1 & 1) { case 0: r = 0; break; default: r = 1; } break; default: switch (t >> 2 & 1) { case 0: r = 2; break; default: r = 3; } }
  ok[t] = r == ((t & 1) == 0 ? t >> 1 & 1 : 2 + (t >> 2 & 1));
  if (!ok[t]) __trap();
}
