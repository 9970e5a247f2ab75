// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <int N> struct Table { static __device__ int at(int i) { constexpr int v[4] = {N, N * N, N * N * N, 1}; return v[i]; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const int e[4] = {3, 9, 27, 1};
  ok[t] = Table<3>::at(t & 3) == e[t & 3];
  if (!ok[t]) __trap();
}
