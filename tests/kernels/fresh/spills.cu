// More values than registers.

// Forty-eight doubles under way in blocks that may use 64 registers a thread.
__global__ void __launch_bounds__(1024)
    crowded_doubles(double* out, const double* in, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) v[k] = in[(i + k * 32) % n];
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int k = 0; k < 48; ++k) v[k] = fma(v[k], 0.99, v[(k * 5 + 7) % 48]);
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += v[k];
  out[i] = sum;
}

// Each thread shuffles bytes of its own, at places that its random numbers choose.
__global__ void own_shuffle(unsigned* out, int rounds) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char card[64];
  for (int i = 0; i < 64; ++i) card[i] = i;
  unsigned s = t * 2654435761u + 7, h = 0;
  for (int r = 0; r < rounds; ++r)
    for (int i = 63; i > 0; --i) {
      s = s * 1664525u + 1013904223u;
      const int j = (s >> 16) % (i + 1);
      const unsigned char other = card[i];
      card[i] = card[j], card[j] = other;
    }
  for (int i = 0; i < 64; ++i) h = h * 31 + card[i];
  out[t] = h;
}
