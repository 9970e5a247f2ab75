// gpx: --entry pairs_of_bfloats_of_2 --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ alignas(8) unsigned value[2];

extern "C" __global__ void pairs_of_bfloats_of_2(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("red.global.add.noftz.v2.bf16x2 [%0], {%1, %1};" ::"l"(value), "r"(0x3f803f80) : "memory");
  __threadfence();
  __syncthreads();
  const volatile unsigned* v = value;
  bool good = v[0] == 0x42804280u && v[1] == 0x42804280u;
  ok[T] = good;
}
