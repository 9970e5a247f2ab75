// gpx: --entry float2_sums --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ float2 value;

extern "C" __global__ void float2_sums(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T == 0) value = make_float2(0, 0);
  __threadfence();
  __syncthreads();
  atomicAdd(&value, make_float2(1, 2));
  __syncthreads();
  const volatile float2& v = value;
  bool good = v.x == 64 && v.y == 128;
  ok[T] = good;
}
