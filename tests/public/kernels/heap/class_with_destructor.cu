// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
__device__ int alive = 0;
struct Guard { __device__ Guard() { atomicAdd(&alive, 1); } __device__ ~Guard() { atomicSub(&alive, 1); } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Guard *g = new Guard; __syncthreads(); const int during = alive; __syncthreads(); delete g; __syncthreads();
  ok[t] = during == 32 && alive == 0;
  if (!ok[t]) __trap();
}
