// Dynamic programs by wavefronts, and work on bytes of text.

// Local alignment of two texts of blockDim.x: antidiagonals, a thread for a row.
__global__ void align_block(int* best, const unsigned char* a, const unsigned char* b) {
  extern __shared__ int cell[];
  const int n = blockDim.x, t = threadIdx.x;
  int *before = cell, *last = cell + n + 1, *now = cell + 2 * (n + 1);
  unsigned char* text = (unsigned char*)(cell + 3 * (n + 1));
  const unsigned char mine = a[(size_t)blockIdx.x * n + t] & 3;
  text[t] = b[(size_t)blockIdx.x * n + t] & 3;
  before[t + 1] = last[t + 1] = now[t + 1] = 0;
  if (t == 0) before[0] = last[0] = now[0] = 0;
  int most = 0;
  for (int d = 0; d < 2 * n - 1; ++d) {
    __syncthreads();
    const int j = d - t;
    int v = 0;
    if (j >= 0 && j < n) {
      v = max(0, before[t] + (mine == text[j] ? 2 : -1));
      v = max(v, max(last[t], last[t + 1]) - 1);
      most = max(most, v);
    }
    now[t + 1] = v;
    int* old = before;
    before = last, last = now, now = old;
  }
  most = __reduce_max_sync(~0u, most);
  if (t % 32 == 0) atomicMax(&best[blockIdx.x], most);
}

// Global alignment of 32 rows by a warp: the neighbour's cell comes by a shuffle.
__global__ void align_warp(int* score, const unsigned char* a, const unsigned char* b, int length) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned char mine = a[warp * 32 + lane] & 3;
  const unsigned char* text = b + (size_t)warp * length;
  int left = -lane - 1, corner = -lane, up;
  for (int d = 0; d < length + 31; ++d) {
    up = __shfl_up_sync(~0u, left, 1);
    const int j = d - lane;
    if (lane == 0) up = -d - 1;
    if (j >= 0 && j < length) {
      const int v = max(corner + ((text[j] & 3) == mine ? 1 : -1), max(up, left) - 1);
      corner = up;
      left = v;
    }
  }
  if (lane == 31) score[warp] = left;
}

// Longest common subsequences by bits: a row of 256 bits in four words, carries between them.
__global__ void common_bits(int* out, const unsigned char* text, const unsigned long long* where,
                            int pairs, int length) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= pairs) return;
  unsigned long long v[4] = {~0ull, ~0ull, ~0ull, ~0ull};
  for (int i = 0; i < length; ++i) {
    const unsigned c = text[(size_t)i * pairs + t] & 15;
    unsigned long long carry = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned long long m = where[c * 4 + k], u = v[k] & m, s = v[k] + u, r = s + carry;
      carry = (s < u) | (r < s);
      v[k] = r | (v[k] & ~m);
    }
  }
  out[t] = __popcll(~v[0]) + __popcll(~v[1]) + __popcll(~v[2]) + __popcll(~v[3]);
}

// The likeliest of 64 states over time: a block of 64, transitions in shared memory.
__global__ void likeliest_states(unsigned char* from, const float* transition,
                                 const float* emission, int steps) {
  __shared__ float move[64][64], now[64];
  const int t = threadIdx.x;
  for (int k = 0; k < 64; ++k) move[k][t] = transition[k * 64 + t];
  float mine = 0;
  for (int s = 0; s < steps; ++s) {
    now[t] = mine;
    __syncthreads();
    float best = -1e30f;
    int which = 0;
#pragma unroll 8
    for (int k = 0; k < 64; ++k) {
      const float v = now[k] + move[k][t];
      if (v > best) best = v, which = k;
    }
    const size_t at = ((size_t)blockIdx.x * steps + s) * 64 + t;
    mine = best + emission[at];
    from[at] = which;
    __syncthreads();
  }
}

// A knapsack's row, one item after the other: two rows of 8192 in shared memory, one block.
__global__ void knapsack(int* out, const unsigned* weight, const unsigned* worth, int items) {
  extern __shared__ int row[];
  int *old = row, *next = row + 8192;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) old[i] = 0;
  for (int k = 0; k < items; ++k) {
    const int w = weight[blockIdx.x * items + k] & 1023, v = worth[blockIdx.x * items + k] & 255;
    __syncthreads();
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
      next[i] = i >= w ? max(old[i], old[i - w] + v) : old[i];
    int* other = old;
    old = next, next = other;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) out[blockIdx.x * 8192 + i] = old[i];
}

// Time warping in a band of 32 around the diagonal: a lane for a place of the band.
__global__ void warp_time(float* out, const float* a, const float* b, int length) {
  const int lane = threadIdx.x % 32, pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const float *p = a + (size_t)pair * length, *q = b + (size_t)pair * length;
  float cost = lane == 16 ? 0 : 1e20f;
  for (int i = 0; i < length; ++i) {
    const int j = i + lane - 16;
    const float d = j >= 0 && j < length ? fabsf(p[i] - q[j]) : 1e20f;
    const float up = __shfl_down_sync(~0u, cost, 1);
    float v = fminf(cost, lane < 31 ? up : 1e20f) + d;
    for (int step = 1; step < 32; step *= 2) {
      const float left = __shfl_up_sync(~0u, v, step);
      if (lane >= step) v = fminf(v, left + d * step);
    }
    cost = v;
  }
  if (lane == 16) out[pair] = cost;
}

// Checksums of lines of 4 KB, eight tables of 256 in shared memory, a line for a thread.
__global__ void check_lines(unsigned* out, const uint2* data, const unsigned* table, int words2) {
  __shared__ unsigned part[8][256];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) part[i / 256][i % 256] = table[i];
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned crc = ~0u;
  for (int i = 0; i < words2; ++i) {
    const uint2 v = data[(size_t)t * words2 + i];
    const unsigned a = v.x ^ crc, b = v.y;
    crc = part[7][a & 255] ^ part[6][a >> 8 & 255] ^ part[5][a >> 16 & 255] ^ part[4][a >> 24] ^
          part[3][b & 255] ^ part[2][b >> 8 & 255] ^ part[1][b >> 16 & 255] ^ part[0][b >> 24];
  }
  out[t] = ~crc;
}

// Numbers of seven bits a byte, from a start for each thread: loads of single bytes.
__global__ void variable_numbers(unsigned* out, const unsigned char* text, int numbers) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char* at = text + (size_t)t * numbers * 5;
  unsigned sum = 0;
  for (int i = 0; i < numbers; ++i) {
    unsigned v = 0, c;
    int shift = 0;
    do {
      c = *at++;
      v |= (c & 127) << shift;
      shift += 7;
    } while (c & 128 && shift < 35);
    sum += v;
  }
  out[t] = sum;
}

// Bytes to two hexadecimal digits each, sixteen at a time, by arithmetic in the words.
__global__ void to_hexadecimal(uint4* out, const uint2* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint2 v = in[i];
  const auto digits = [](unsigned two) {
    unsigned x = two & 0xffff;
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x >> 4 & 0x000f000fu) | (x & 0x000f000fu) << 8;
    const unsigned letters = __vcmpgtu4(x, 0x09090909u);
    return x + 0x30303030u + (letters & 0x27272727u);
  };
  out[i] = make_uint4(digits(v.x), digits(v.x >> 16), digits(v.y), digits(v.y >> 16));
}

// Letters to small ones and words counted, by SIMD in words: 16 bytes of a thread.
__global__ void count_words(unsigned* count, uint4* out, const uint4* in, int n) {
  unsigned words = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 v = in[i];
    unsigned w[4] = {v.x, v.y, v.z, v.w}, last = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned capital = __vcmpgtu4(w[k], 0x40404040u) & __vcmpltu4(w[k], 0x5b5b5b5bu);
      w[k] |= capital & 0x20202020u;
      const unsigned blank = __vcmpleu4(w[k], 0x20202020u), shifted = blank << 8 | last;
      words += __popc(~blank & shifted) / 8;
      last = blank >> 24;
    }
    out[i] = make_uint4(w[0], w[1], w[2], w[3]);
  }
  words = __reduce_add_sync(~0u, words);
  if (threadIdx.x % 32 == 0) atomicAdd(count, words);
}
