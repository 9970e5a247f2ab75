// gpx: --entry shared_floats_one_by_one --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void shared_floats_one_by_one(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float value[4];
  if (T < 4) value[T] = 0;
  __syncthreads();
  for (int i = 0; i < 4; ++i) atomicAdd(&value[i], 1.0f);
  __syncthreads();
  bool good = value[0] == 64 && value[3] == 64;
  ok[T] = good;
}
