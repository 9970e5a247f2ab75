// Reads of a sequencer.

// Words of 24 bases slide over reads of two bits a base: the smaller strand is counted in a table.
__global__ void count_kmers(unsigned* table, const unsigned* packed, int reads, int words,
                            unsigned mask) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= reads) return;
  unsigned long long forward = 0, backward = 0;
  int held = 0;
  for (int w = 0; w < words; ++w) {
    unsigned bases = packed[(size_t)w * reads + t];
    for (int k = 0; k < 16; ++k, bases >>= 2) {
      forward = (forward << 2 | (bases & 3)) & 0xffffffffffffull;
      backward = backward >> 2 | (unsigned long long)(3 - (bases & 3)) << 46;
      if (++held < 24) continue;
      unsigned long long h = forward < backward ? forward : backward;
      h ^= h >> 29, h *= 0xbf58476d1ce4e5b9ull, h ^= h >> 32;
      atomicAdd(&table[(unsigned)h & mask], 1u);
    }
  }
}

// Patterns searched backwards in an index: two reads of a block of 64 places at each step.
__global__ void search_back(uint2* range, const uint4* index, const unsigned* pattern, int n,
                            int length, unsigned mask) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned low = 0, high = mask, letters = pattern[t];
  for (int i = 0; i < length && low != high; ++i, letters = letters >> 2 | letters << 30) {
    const unsigned c = letters & 3;
    unsigned place[2] = {low, high};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const unsigned block = (place[k] & mask) >> 6;
      const uint4 before = index[2 * block], bits = index[2 * block + 1];
      const unsigned count = c == 0 ? before.x : c == 1 ? before.y : c == 2 ? before.z : before.w;
      const unsigned p = place[k] & 63;
      const unsigned long long one = (unsigned long long)bits.y << 32 | bits.x,
                               two = (unsigned long long)bits.w << 32 | bits.z;
      const unsigned long long same = (c & 1 ? one : ~one) & (c & 2 ? two : ~two);
      place[k] = count + __popcll(same & ((1ull << p) - 1));
    }
    low = place[0] & mask, high = place[1] & mask;
  }
  range[t] = make_uint2(low, high);
}

// Reads of 151 bytes of quality, trimmed from their end: how far is decided by the data.
__global__ void trim_reads(int* kept, const unsigned char* quality, int reads, int length,
                           int limit) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= reads) return;
  const unsigned char* mine = quality + (size_t)t * length;
  int sum = 0, most = 0, end = length;
  for (int i = length - 1; i >= 0; --i) {
    sum += limit - (mine[i] & 63);
    if (sum < 0) break;
    if (sum > most) most = sum, end = i;
  }
  kept[t] = end;
}
