// gpx: --entry k --grid 1 --block 32 --shared 1024 --buffer ok=128B:zero expect ok==1
template <typename T> struct Shared { static __device__ T *get() { extern __shared__ __align__(16) unsigned char memory[]; return reinterpret_cast<T *>(memory); } };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Shared<short>::get()[t] = t; __syncthreads();
  ok[t] = Shared<short>::get()[31 - t] == 31 - t;
  if (!ok[t]) __trap();
}
