// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Big { int v[12]; };
__device__ __noinline__ Big shifted(Big b, int k) { Big r; for (int i = 0; i < 12; ++i) r.v[i] = b.v[(i + k) % 12]; return r; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Big b; for (int i = 0; i < 12; ++i) b.v[i] = i;
  ok[t] = shifted(b, t).v[0] == t % 12;
  if (!ok[t]) __trap();
}
