// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  float *p = new float[16]; for (int i = 0; i < 16; ++i) p[i] = i + t; float s = 0; for (int i = 0; i < 16; ++i) s += p[i]; delete[] p;
  ok[t] = s == 120 + 16 * t;
  if (!ok[t]) __trap();
}
