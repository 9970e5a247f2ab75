// gpx: --entry float4_sums --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ float4 value;

extern "C" __global__ void float4_sums(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  if (T == 0) value = make_float4(0, 0, 0, 0);
  __threadfence();
  __syncthreads();
  atomicAdd(&value, make_float4(1, 2, 3, 4));
  __syncthreads();
  const volatile float4& v = value;
  bool good = v.x == 64 && v.y == 128 && v.z == 192 && v.w == 256;
  ok[T] = good;
}
