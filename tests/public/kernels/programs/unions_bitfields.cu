// gpx: --entry pack --grid 1 --block 32 --buffer out=128B --buffer in=128B:hash
#include <stdint.h>
#include <stdio.h>
typedef union { float f; uint32_t u; struct { uint32_t mantissa : 23; uint32_t exponent : 8; uint32_t sign : 1; } parts; } Float;
struct Flags { unsigned a : 3; unsigned b : 5; int c : 24; };
__global__ void pack(uint32_t *out, const float *in) {
  Float v; v.f = in[threadIdx.x];
  Flags x; x.a = v.parts.exponent; x.b = v.parts.sign; x.c = (int)v.parts.mantissa;
  out[threadIdx.x] = x.a + x.b * 8 + (x.c << 8);
}
int main() { Float f; f.f = 1.f; printf("%x %zu\n", f.u, sizeof(Flags)); pack<<<1, 32>>>(0, 0); cudaDeviceSynchronize(); }
