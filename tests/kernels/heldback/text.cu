// Bytes, words and digests.
struct CrcTable {
  unsigned value[256];
  constexpr CrcTable() : value() {
    for (unsigned i = 0; i < 256; ++i) {
      unsigned v = i;
      for (int k = 0; k < 8; ++k) v = v & 1 ? 0xedb88320u ^ (v >> 1) : v >> 1;
      value[i] = v;
    }
  }
};
__constant__ CrcTable crc_table;
__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void count_byte(unsigned* count, const uint4* text, int n, unsigned what) {
  unsigned found = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 v = text[i];
    found += __popc(__vcmpeq4(v.x, what)) + __popc(__vcmpeq4(v.y, what)) +
             __popc(__vcmpeq4(v.z, what)) + __popc(__vcmpeq4(v.w, what));
  }
  found = __reduce_add_sync(0xffffffffu, found);
  if (threadIdx.x % 32 == 0) atomicAdd(count, found / 8);
}

// A record of `length` bytes for each thread; the table is indexed by data.
__global__ void checksum_records(unsigned* out, const unsigned char* data, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char* mine = data + (size_t)i * length;
  unsigned crc = ~0u;
  for (int k = 0; k < length; ++k) crc = crc_table.value[(crc ^ mine[k]) & 255] ^ (crc >> 8);
  out[i] = ~crc;
}

__global__ void encode64(char* out, const unsigned char* in, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  const unsigned v = in[3 * g] << 16 | in[3 * g + 1] << 8 | in[3 * g + 2];
  for (int k = 0; k < 4; ++k) out[4 * g + k] = alphabet[v >> (18 - 6 * k) & 63];
}

// Every position compared with a pattern until a byte differs.
__global__ void find_pattern(int* first, const char* text, const char* pattern, int n, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + length > n) return;
  int k = 0;
  while (k < length && (text[i + k] & 3) == (pattern[k] & 3)) ++k;
  if (k == length) atomicMin(first, i);
}

// Edit distance of two words of 16 letters, a pair for each thread; one row in local memory.
__global__ void edit_distance(int* out, const unsigned char* a, const unsigned char* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char row[17];
  for (int k = 0; k <= 16; ++k) row[k] = k;
  for (int y = 0; y < 16; ++y) {
    const int letter = a[i * 16 + y] & 7;
    int diagonal = row[0];
    row[0] = y + 1;
    for (int x = 1; x <= 16; ++x) {
      const int cost = diagonal + (letter != (b[i * 16 + x - 1] & 7));
      diagonal = row[x];
      row[x] = min(cost, min(row[x], row[x - 1]) + 1);
    }
  }
  out[i] = row[16];
}

__constant__ unsigned sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ unsigned turn(unsigned x, int n) {
  return __funnelshift_r(x, x, n);
}

// SHA-256 of a counter, repeated: a block of 64 bytes each time.
__global__ void digest(unsigned* out, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int round = 0; round < rounds; ++round) {
    unsigned w[16];
    for (int k = 0; k < 16; ++k) w[k] = i * 0x9e3779b9u + k + state[k % 8];
    unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5],
             g = state[6], h = state[7];
#pragma unroll
    for (int k = 0; k < 64; ++k) {
      if (k >= 16) {
        const unsigned x = w[(k + 1) % 16], y = w[(k + 14) % 16];
        w[k % 16] += (turn(x, 7) ^ turn(x, 18) ^ (x >> 3)) + w[(k + 9) % 16] +
                     (turn(y, 17) ^ turn(y, 19) ^ (y >> 10));
      }
      const unsigned t = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) +
                         sha_k[k] + w[k % 16];
      const unsigned u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
  out[i] = state[0] ^ state[7];
}
