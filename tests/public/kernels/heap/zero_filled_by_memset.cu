// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  char *p = (char *)malloc(64); memset(p, 0, 64); int s = 0; for (int i = 0; i < 64; ++i) s += p[i]; free(p);
  ok[t] = s == 0;
  if (!ok[t]) __trap();
}
