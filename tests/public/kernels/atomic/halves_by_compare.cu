// gpx: --entry halves_by_compare --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void halves_by_compare(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned short value;
  if (T == 0) value = 0;
  __syncthreads();
  unsigned short old = value, seen;
  do {
    seen = old;
    old = atomicCAS(&value, seen, (unsigned short)(seen + 3));
  } while (old != seen);
  __syncthreads();
  bool good = value == 192;
  ok[T] = good;
}
