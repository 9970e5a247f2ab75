// gpx: --entry bitonicSortShared --grid 1 --block 128 --buffer d_DstKey=1KB --buffer d_SrcKey=1KB:hash --arg arrayLength=256 --arg dir=1
#include <assert.h>
#define SHARED_SIZE_LIMIT 256U
typedef unsigned int uint;
__device__ inline void Comparator(uint &keyA, uint &keyB, uint dir) { uint t; if ((keyA > keyB) == dir) { t = keyA; keyA = keyB; keyB = t; } }
__global__ void bitonicSortShared(uint *d_DstKey, uint *d_SrcKey, uint arrayLength, uint dir) {
  __shared__ uint s_key[SHARED_SIZE_LIMIT];
  d_SrcKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
  s_key[threadIdx.x] = d_SrcKey[0]; s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcKey[SHARED_SIZE_LIMIT / 2];
  for (uint size = 2; size < arrayLength; size <<= 1) {
    uint ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
    for (uint stride = size / 2; stride > 0; stride >>= 1) { __syncthreads(); uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1)); Comparator(s_key[pos], s_key[pos + stride], ddd); }
  }
  __syncthreads();
  d_DstKey[threadIdx.x] = s_key[threadIdx.x]; d_DstKey[threadIdx.x + 128] = s_key[threadIdx.x + 128];
}
extern "C" uint factorRadix2(uint *log2L, uint L) { if (!L) { *log2L = 0; return 0; } for (*log2L = 0; (L & 1) == 0; L >>= 1, *log2L++) {} return L; }
extern "C" uint bitonicSort(uint *d, uint *s, uint batch, uint n, uint dir) { uint l; uint f = factorRadix2(&l, n); assert(f == 1); bitonicSortShared<<<batch, 128>>>(d, s, n, dir != 0); return 128; }
