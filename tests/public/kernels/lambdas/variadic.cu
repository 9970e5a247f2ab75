// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <typename... T> __device__ int count_of(T...) { return sizeof...(T); }
template <typename... T> __device__ auto sum_of(T... v) { return (v + ...); }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = count_of(1, 2.0, 'c') == 3 && sum_of(t, 1, 2, 3) == t + 6;
  if (!ok[t]) __trap();
}
