// Whether textures are read through L1: a texel is read, then lines of a global array by all threads of the
// block, then the texel again. Where it was evicted by loads that L1 holds, both are one cache. Used
// by stdlib/analysis/parts/unified.lua.
//
// The texel is read once before: an H100's L1 keeps a line that was hit. result[0]: 0, where all loads
// gave what they should. result[1]: clocks of the texel's second read.
typedef unsigned long long u64;

__device__ __forceinline__ unsigned texel(u64 texture, int index) {
  unsigned x, y, z, w;
  asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "l"(texture), "r"(index)
               : "memory");
  return x;
}

__device__ __forceinline__ unsigned timed(u64 texture, int index, unsigned never) {
  unsigned begin, end;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
  const unsigned word = texel(texture, index + (begin == never ? 1 : 0));
  if (word == never) asm volatile("trap;");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  return end - begin;
}

extern "C" __global__ void unified(u64* result, const char* array, u64 texture, u64 lines, u64 line,
                                   u64 never) {
  unsigned sum = 0;
  const unsigned none = static_cast<unsigned>(never);
  // The first turn, about another texel, fetches the code, which its clock reads count.
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {
    const int index = turn == 0 ? 512 : 0;
    __syncthreads();
    if (threadIdx.x == 0) sum += texel(texture, index + (sum == none ? 1 : 0));
    __syncthreads();
    for (int pass = 0; pass < 2; ++pass) {
      for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
        unsigned word;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(array + i * line) : "memory");
        sum += word;
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) result[1] = timed(texture, index + (sum == none ? 1 : 0), none);
  }
  if (threadIdx.x == 0) result[0] = 0;
  if (sum == none) result[0] = 1;
}
