// Integer arithmetic in registers.
__global__ void mix_words(unsigned* out, int rounds) {
  unsigned h = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = h;
}

__global__ void shift_words(unsigned long long* out, int rounds) {
  unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (int k = 0; k < rounds; ++k) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Greatest common divisors: a division a step, and trip counts by data.
__global__ void divisors(unsigned* out, const unsigned* a, const unsigned* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = a[i] | 1, y = b[i] | 1;
  while (y != 0) {
    const unsigned rest = x % y;
    x = y;
    y = rest;
  }
  out[i] = x;
}
