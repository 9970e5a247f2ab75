// Text, a byte at a time and by votes.

// An automaton of 256 states and 32 classes of letters runs over pieces of text, one a thread; its
// table lies in shared memory or not.
#ifndef LOCAL
#define LOCAL 1
#endif
__global__ void match_states(unsigned* hits, const unsigned char* next, const uint4* text,
                             int pieces, int quads) {
#if LOCAL
  __shared__ unsigned char table[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) table[i] = next[i];
  __syncthreads();
#else
  const unsigned char* table = next;
#endif
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= pieces) return;
  unsigned state = 0, found = 0;
  for (int q = 0; q < quads; ++q) {
    const uint4 v = text[(size_t)q * pieces + t];
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        state = table[state * 32 + (word[k] >> 8 * b & 31)];
        found += state >= 250;
      }
  }
  hits[t] = found;
}

// Places of separators in pieces of 4 KB: counted, summed over the block, written in order.
__global__ void split_fields(unsigned short* place, unsigned* count, const uint4* text) {
  __shared__ unsigned part[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const uint4 v = text[(size_t)blockIdx.x * 256 + t];
  const unsigned word[4] = {v.x, v.y, v.z, v.w};
  unsigned mine = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) mine |= ((word[k / 4] >> k % 4 * 8 & 15) == 12) << k;
  unsigned sum = __popc(mine);
  for (int s = 1; s < 32; s *= 2) {
    const unsigned other = __shfl_up_sync(~0u, sum, s);
    if (lane >= s) sum += other;
  }
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  unsigned before = 0;
  for (int w = 0; w < warp; ++w) before += part[w];
  unsigned at = before + sum - __popc(mine);
  for (unsigned left = mine; left; left &= left - 1)
    place[(size_t)blockIdx.x * 4096 + at++] = t * 16 + __ffs(left) - 1;
  if (t == 255) count[blockIdx.x] = at;
}
