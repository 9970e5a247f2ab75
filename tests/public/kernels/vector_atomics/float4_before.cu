// gpx: --entry float4_before --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ float4 value[64];

extern "C" __global__ void float4_before(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 before = atomicAdd(&value[T], make_float4(1, 1, 1, 1));
  const float4 now = atomicAdd(&value[T], make_float4(1, 1, 1, 1));
  bool good = before.x == 0 && now.x == 1 && now.w == 1;
  ok[T] = good;
}
