// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  double d = 1.0 + t; unsigned long long u; memcpy(&u, &d, 8); double back; memcpy(&back, &u, 8);
  ok[t] = back == d && u == (unsigned long long)__double_as_longlong(d);
  if (!ok[t]) __trap();
}
