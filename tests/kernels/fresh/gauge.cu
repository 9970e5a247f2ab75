// Matrices of three colours on the links of a lattice with periodic sides of powers of two.

struct Complex {
  float re, im;
};
__device__ inline Complex read(const float2* at) {
  const float2 v = *at;
  return {v.x, v.y};
}
__device__ inline void add_product(Complex& sum, Complex a, Complex b) {
  sum.re += a.re * b.re - a.im * b.im;
  sum.im += a.re * b.im + a.im * b.re;
}
__device__ inline void add_adjoint(Complex& sum, Complex a, Complex b) {
  sum.re += a.re * b.re + a.im * b.im;
  sum.im += a.re * b.im - a.im * b.re;
}

// The neighbour of a site in one of four directions; `bits` of each side, `time` of the last.
__device__ inline int step(int site, int mu, int by, int bits, int time) {
  const int shift = mu * bits, mask = (1 << (mu == 3 ? time : bits)) - 1;
  const int x = site >> shift & mask;
  return site ^ (x << shift) ^ (((x + by) & mask) << shift);
}

// Colour vectors carried over the eight links of a site: links by [direction][entry][site].
__global__ void hop_colours(float2* out, const float2* link, const float2* in, int bits, int time) {
  const int volume = 1 << (3 * bits + time), site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= volume) return;
  Complex sum[3] = {};
#pragma unroll
  for (int mu = 0; mu < 4; ++mu) {
    const int ahead = step(site, mu, 1, bits, time), behind = step(site, mu, -1, bits, time);
    Complex a[3], b[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) a[c] = read(&in[c * volume + ahead]);
#pragma unroll
    for (int c = 0; c < 3; ++c) b[c] = read(&in[c * volume + behind]);
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        add_product(sum[r], read(&link[(size_t)(mu * 9 + r * 3 + c) * volume + site]), a[c]);
        add_adjoint(sum[r], read(&link[(size_t)(mu * 9 + c * 3 + r) * volume + behind]), b[c]);
      }
  }
#pragma unroll
  for (int r = 0; r < 3; ++r)
    out[r * volume + site] = make_float2(0.5f * sum[r].re, 0.5f * sum[r].im);
}

// Products around the six squares of a site, their traces added over all.
__global__ void plaquettes(double* total, const float2* link, int bits, int time) {
  const int volume = 1 << (3 * bits + time), site = blockIdx.x * blockDim.x + threadIdx.x;
  float trace = 0;
  if (site < volume)
    for (int mu = 0; mu < 3; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu) {
        const int right = step(site, mu, 1, bits, time), up = step(site, nu, 1, bits, time);
        Complex there[3][3] = {}, back[3][3] = {};
#pragma unroll
        for (int r = 0; r < 3; ++r)
#pragma unroll
          for (int k = 0; k < 3; ++k) {
            const Complex u = read(&link[(size_t)(mu * 9 + r * 3 + k) * volume + site]);
            const Complex w = read(&link[(size_t)(nu * 9 + r * 3 + k) * volume + site]);
#pragma unroll
            for (int c = 0; c < 3; ++c) {
              add_product(there[r][c], u,
                          read(&link[(size_t)(nu * 9 + k * 3 + c) * volume + right]));
              add_product(back[r][c], w, read(&link[(size_t)(mu * 9 + k * 3 + c) * volume + up]));
            }
          }
#pragma unroll
        for (int r = 0; r < 3; ++r)
#pragma unroll
          for (int c = 0; c < 3; ++c)
            trace += there[r][c].re * back[r][c].re + there[r][c].im * back[r][c].im;
      }
  for (int s = 16; s > 0; s /= 2) trace += __shfl_xor_sync(~0u, trace, s);
  if (threadIdx.x % 32 == 0) atomicAdd(total, (double)trace);
}
