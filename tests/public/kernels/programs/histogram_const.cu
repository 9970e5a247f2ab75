// gpx: --entry histogram256 --grid 4 --block 256 --buffer data=4KB:hash --buffer bins=1KB:zero --arg count=1024
#include <cstdio>
#include <cstdlib>
#include <cstring>
typedef unsigned int uint;
typedef unsigned char uchar;
#define BINS 256
#define UMUL(a, b) ((a) * (b))
static uint h_Histogram[BINS];
inline __device__ void addByte(uint *s, uint data) { atomicAdd(s + data, 1); }
__global__ void histogram256(uint *bins, const uint *data, uint count) {
  __shared__ uint s[BINS];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (uint pos = UMUL(blockIdx.x, blockDim.x) + threadIdx.x; pos < count; pos += UMUL(blockDim.x, gridDim.x)) {
    uint d = data[pos];
    addByte(s, (d >> 0) & 0xFFU); addByte(s, (d >> 8) & 0xFFU);
    addByte(s, (d >> 16) & 0xFFU); addByte(s, (d >> 24) & 0xFFU);
  }
  __syncthreads();
  atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}
extern "C" void initHistogram256(void) { cudaMalloc((void **)&h_Histogram, BINS * sizeof(uint)); }
extern "C" void histogram256Run(uint *d, void *data, uint n) { histogram256<<<240, 256>>>(d, (uint *)data, n / sizeof(uint)); }
int main(int, char **) { memset(h_Histogram, 0, sizeof(h_Histogram)); initHistogram256(); return 0; }
