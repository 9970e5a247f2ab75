// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  unsigned char b[16]; for (int i = 0; i < 16; ++i) b[i] = i * 17 + t; unsigned s = 0; for (int i = 0; i < 16; ++i) s = s * 31 + b[(i * 5 + t) & 15]; unsigned e = 0; for (int i = 0; i < 16; ++i) e = e * 31 + (unsigned char)(((i * 5 + t) & 15) * 17 + t);
  ok[t] = s == e;
  if (!ok[t]) __trap();
}
