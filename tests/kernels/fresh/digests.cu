// Digests of blocks and of records.

// Two blocks of 64 bytes mixed by ten rounds of sixteen words, orders by a table of constants.
__constant__ unsigned char kOrder[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

__device__ inline unsigned turn(unsigned v, int by) {
  return __funnelshift_r(v, v, by);
}
__device__ inline void mix(unsigned& a, unsigned& b, unsigned& c, unsigned& d, unsigned x,
                           unsigned y) {
  a += b + x, d = turn(d ^ a, 16), c += d, b = turn(b ^ c, 12);
  a += b + y, d = turn(d ^ a, 8), c += d, b = turn(b ^ c, 7);
}

__global__ void digest_pairs(uint4* out, const unsigned* in, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int block = 0; block < 2; ++block) {
    unsigned m[16], v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) m[k] = in[(size_t)(block * 16 + k) * n + t];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = h[k], v[k + 8] = h[k] ^ (0x9e3779b9u * (k + 1));
#pragma unroll 1
    for (int round = 0; round < 10; ++round) {
      const unsigned char* s = kOrder[round];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        mix(v[k], v[4 + k], v[8 + k], v[12 + k], m[s[2 * k]], m[s[2 * k + 1]]);
#pragma unroll
      for (int k = 0; k < 4; ++k)
        mix(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4], m[s[8 + 2 * k]],
            m[s[9 + 2 * k]]);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) h[k] ^= v[k] ^ v[k + 8];
  }
  out[2 * t] = make_uint4(h[0], h[1], h[2], h[3]);
  out[2 * t + 1] = make_uint4(h[4], h[5], h[6], h[7]);
}

// Keyed digests of records of 8 to 128 bytes: lengths by the data, arithmetic of 64 bits.
__global__ void digest_records(unsigned long long* out, const unsigned long long* record,
                               const unsigned* length, int n, int longest) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const int words = 1 + length[t] % longest;
  unsigned long long a = 0x736f6d6570736575ull, b = 0x646f72616e646f6dull,
                     c = 0x6c7967656e657261ull, d = 0x7465646279746573ull;
  const auto round = [&] {
    a += b, b = b << 13 | b >> 51, b ^= a, a = a << 32 | a >> 32;
    c += d, d = d << 16 | d >> 48, d ^= c;
    a += d, d = d << 21 | d >> 43, d ^= a;
    c += b, b = b << 17 | b >> 47, b ^= c, c = c << 32 | c >> 32;
  };
  for (int i = 0; i < words; ++i) {
    const unsigned long long m = record[(size_t)t * longest + i];
    d ^= m;
    round(), round();
    a ^= m;
  }
  c ^= 255;
  round(), round(), round(), round();
  out[t] = a ^ b ^ c ^ d;
}
