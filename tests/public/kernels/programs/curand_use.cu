// gpx: --entry pi --grid 1 --block 32 --buffer out=128B --arg seed=7 --arg trials=4
#include <curand_kernel.h>
#include <iostream>
__global__ void pi(unsigned *out, unsigned long long seed, int trials) {
  curandStatePhilox4_32_10_t s; curand_init(seed, threadIdx.x, 0, &s);
  unsigned in = 0;
  for (int i = 0; i < trials; ++i) { float4 r = curand_uniform4(&s); in += r.x * r.x + r.y * r.y < 1; in += r.z * r.z + r.w * r.w < 1; }
  out[threadIdx.x] = in;
}
int main() { std::cout << "pi\n"; pi<<<1, 32>>>(nullptr, 7, 4); }
