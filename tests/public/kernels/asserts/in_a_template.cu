// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
#include <assert.h>
template <int N> struct Bounded { int v[N]; __device__ int &operator[](int i) { assert(i < N); return v[i]; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Bounded<8> b; for (int i = 0; i < 8; ++i) b[i] = i * i;
  ok[t] = b[t & 7] == (t & 7) * (t & 7);
  if (!ok[t]) __trap();
}
