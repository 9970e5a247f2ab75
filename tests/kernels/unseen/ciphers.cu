// Integers and bits: ciphers, wide numbers, sieves, curves, distances; and functions of doubles.

__device__ inline unsigned turn(unsigned x, int n) {
  return __funnelshift_l(x, x, n);
}

// A stream of keys by twenty rounds of adds, exclusive ors and turns; 64 bytes of a thread.
__global__ void stream_cipher(uint4* out, const uint4* in, unsigned key, int blocks) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= blocks) return;
  unsigned s[16], x[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = s[i] = i == 12 ? t : key * (i + 1);
  const auto quarter = [&](int a, int b, int c, int d) {
    x[a] += x[b], x[d] = turn(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = turn(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = turn(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = turn(x[b] ^ x[c], 7);
  };
#pragma unroll 2
  for (int round = 0; round < 10; ++round) {
    quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
  }
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const uint4 v = in[(size_t)t * 4 + q];
    out[(size_t)t * 4 + q] =
        make_uint4(v.x ^ (x[4 * q] + s[4 * q]), v.y ^ (x[4 * q + 1] + s[4 * q + 1]),
                   v.z ^ (x[4 * q + 2] + s[4 * q + 2]), v.w ^ (x[4 * q + 3] + s[4 * q + 3]));
  }
}

// Ten rounds of a cipher by a table of 256 words in shared memory: lookups that depend on data.
__global__ void table_cipher(uint4* out, const uint4* in, const unsigned* table, int n) {
  __shared__ unsigned box[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) box[i] = table[i];
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  uint4 s = in[t];
  for (int round = 0; round < 10; ++round) {
    const auto column = [&](unsigned a, unsigned b, unsigned c, unsigned d) {
      return box[a & 255] ^ turn(box[b >> 8 & 255], 8) ^ turn(box[c >> 16 & 255], 16) ^
             turn(box[d >> 24], 24);
    };
    s = make_uint4(column(s.x, s.y, s.z, s.w) + round, column(s.y, s.z, s.w, s.x),
                   column(s.z, s.w, s.x, s.y), column(s.w, s.x, s.y, s.z));
  }
  out[t] = s;
}

// A sponge of 25 words of 64 bits: 24 rounds in registers.
__global__ void __launch_bounds__(128) sponge(unsigned long long* out, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned long long a[25];
#pragma unroll
  for (int i = 0; i < 25; ++i) a[i] = t * 0x9E3779B97F4A7C15ull + i;
  for (int round = 0; round < 24; ++round) {
    unsigned long long c[5], b[25];
#pragma unroll
    for (int x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int i = 0; i < 25; ++i) {
      const unsigned long long n = c[(i + 1) % 5], d = c[(i + 4) % 5] ^ (n << 1 | n >> 63),
                               v = a[i] ^ d;
      const int r = (i * 7 + 1) % 63 + 1;
      b[i / 5 + (2 * (i % 5) + 3 * (i / 5)) % 5 * 5] = v << r | v >> (64 - r);
    }
#pragma unroll
    for (int i = 0; i < 25; ++i)
      a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
    a[0] ^= 0x8000000080008081ull + round;
  }
  for (int i = 0; i < 4; ++i) out[(size_t)i * threads + t] = a[i];
}

// Squares of 256 bits by Montgomery's method, eight words, carries by 64-bit sums.
__global__ void montgomery(unsigned* out, const unsigned* in, int threads, int squares) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned a[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = in[(size_t)i * threads + t];
  for (int s = 0; s < squares; ++s) {
    unsigned r[9] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      unsigned long long carry = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        carry += (unsigned long long)a[i] * a[j] + r[j];
        r[j] = (unsigned)carry;
        carry >>= 32;
      }
      r[8] += (unsigned)carry;
      const unsigned m = r[0] * 0xd2253531u;
      carry = (unsigned long long)m * 0xfffffc2fu + r[0];
      carry >>= 32;
#pragma unroll
      for (int j = 1; j < 8; ++j) {
        carry += (unsigned long long)m * (j == 1 ? 0xfffffffeu : 0xffffffffu) + r[j];
        r[j - 1] = (unsigned)carry;
        carry >>= 32;
      }
      carry += r[8];
      r[7] = (unsigned)carry;
      r[8] = (unsigned)(carry >> 32);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = r[i];
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) out[(size_t)i * threads + t] = a[i];
}

// Quotients of 64 bits by divisors that are no constants, and remainders by narrow ones.
__global__ void wide_quotients(unsigned long long* out, const unsigned long long* in,
                               const unsigned* divisor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i];
  const unsigned d = divisor[i] | 3;
  unsigned long long sum = 0;
  for (int k = 0; k < 6; ++k) {
    const unsigned long long q = v / (d + k);
    sum += v - q * (d + k);
    v ^= q << 7;
  }
  out[i] = sum + (long long)v % 1009;
}

// Greatest common divisors by shifts and differences: lanes end at different times.
__global__ void binary_divisors(unsigned* out, const unsigned* a, const unsigned* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned u = a[i] | 1, v = b[i] | 1;
  while (u != v) {
    const bool more = u > v;
    const unsigned d = more ? u - v : v - u, odd = d >> (__ffs(d) - 1);
    if (more)
      u = odd;
    else
      v = odd;
  }
  out[i] = u;
}

// Multiples struck out in shared memory, a segment of 16384 for a block; bytes written by many.
__global__ void sieve(unsigned* count, int primes) {
  extern __shared__ unsigned char composite[];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) ((unsigned*)composite)[i] = 0;
  __syncthreads();
  const unsigned first = blockIdx.x * 16384u;
  for (int k = threadIdx.x; k < primes; k += blockDim.x) {
    const unsigned p = 2 * k + 3;
    for (unsigned m = (p - first % p) % p; m < 16384; m += p) composite[m] = 1;
  }
  __syncthreads();
  unsigned left = 0;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    left += 4 - __popc(((unsigned*)composite)[i]);
  left = __reduce_add_sync(~0u, left);
  if (threadIdx.x % 32 == 0) atomicAdd(count, left);
}

// Fingerprints of 1024 bits, each query with each entry: popc of 32 words.
__global__ void nearest_prints(unsigned* best, const uint4* entry, const uint4* query,
                               int entries) {
  __shared__ uint4 q[8];
  if (threadIdx.x < 8) q[threadIdx.x] = query[blockIdx.y * 8 + threadIdx.x];
  __syncthreads();
  unsigned least = ~0u;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < entries; e += gridDim.x * blockDim.x) {
    unsigned d = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      const uint4 v = entry[(size_t)w * entries + e], u = q[w];
      d += __popc(v.x ^ u.x) + __popc(v.y ^ u.y) + __popc(v.z ^ u.z) + __popc(v.w ^ u.w);
    }
    least = min(least, d << 20 | e & 0xfffff);
  }
  least = __reduce_min_sync(~0u, least);
  if (threadIdx.x % 32 == 0) atomicMin(&best[blockIdx.y], least);
}

// A volume from rows to the order of Morton: reads of lines, scattered writes.
__global__ void to_morton(float* out, const float* in, int bits) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, side = 1u << bits;
  const auto spread = [](unsigned x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
  };
  out[spread(i % side) | spread(i / side % side) << 1 | spread(i / side / side) << 2] = in[i];
}

// Functions of doubles that are no single instruction.
__global__ void special_doubles(double* out, const double* in, int n, int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = in[i];
  for (int k = 0; k < 4; ++k)
    v = which == 0   ? erf(v) + 0.3
        : which == 1 ? lgamma(v + 1.5)
        : which == 2 ? j0(v) + 0.7
        : which == 3 ? cbrt(v + 1.0)
                     : atan2(v + 0.1, 1.3 - v);
  out[i] = v;
}

// Sums rounded down and up of products: four ways of rounding.
__global__ void intervals(float2* out, const float2* a, const float2* b, int n, int terms) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = a[i], q = b[i];
  float low = 0, high = 0;
  for (int k = 0; k < terms; ++k) {
    const float l = fminf(__fmul_rd(p.x, q.x), __fmul_rd(p.y, q.y));
    const float h = fmaxf(__fmul_ru(p.x, q.x), __fmul_ru(p.y, q.y));
    low = __fadd_rd(__fmul_rd(low, 0.5f), l);
    high = __fadd_ru(__fmul_ru(high, 0.5f), h);
  }
  out[i] = make_float2(low, high);
}
