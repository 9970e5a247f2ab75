// gpx: --entry float2_before --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ float2 value[64];

extern "C" __global__ void float2_before(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 before = atomicAdd(&value[T], make_float2(1, 1));
  const float2 now = atomicAdd(&value[T], make_float2(1, 1));
  bool good = before.x == 0 && now.x == 1 && now.y == 1;
  ok[T] = good;
}
