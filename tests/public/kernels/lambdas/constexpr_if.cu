// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <typename T> __device__ T halve(T x) { if constexpr (sizeof(T) == 4) return x / 2; else return x / 4; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = halve(8) == 4 && halve(8ll) == 2;
  if (!ok[t]) __trap();
}
