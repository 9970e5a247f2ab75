// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <typename D> struct Base { __device__ int twice() { return 2 * static_cast<D *>(this)->value(); } };
struct Seven : Base<Seven> { __device__ int value() { return 7; } };
struct Thread : Base<Thread> { __device__ int value() { return threadIdx.x; } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = Seven{}.twice() == 14 && Thread{}.twice() == 2 * t;
  if (!ok[t]) __trap();
}
