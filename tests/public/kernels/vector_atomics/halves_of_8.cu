// gpx: --entry halves_of_8 --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ alignas(16) unsigned short value[8];

extern "C" __global__ void halves_of_8(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("{ .reg .b16 h; mov.b16 h, 0x3c00; red.global.add.noftz.v8.f16 [%0], {h, h, h, h, h, h, h, h}; }" ::"l"(value) : "memory");
  __threadfence();
  __syncthreads();
  const volatile unsigned short* v = value;
  bool good = v[0] == 0x5400 && v[7] == 0x5400;
  ok[T] = good;
}
