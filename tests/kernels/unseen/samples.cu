// Random numbers and what is sampled with them.

__device__ inline uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    const unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}

__global__ void philox_floats(float4* out, int n, unsigned seed) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 r = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 77));
    const float s = 2.3283064e-10f;
    out[i] = make_float4(r.x * s, r.y * s, r.z * s, r.w * s);
  }
}

// A generator of 128 bits of state in memory: state read, numbers written, state back.
__global__ void stateful(unsigned long long* out, ulonglong2* state, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  ulonglong2 s = state[t];
  for (int i = 0; i < each; ++i) {
    unsigned long long x = s.x;
    const unsigned long long y = s.y;
    x ^= x << 23;
    s.x = y;
    s.y = x ^ y ^ x >> 17 ^ y >> 26;
    out[(size_t)i * threads + t] = s.y + y;
  }
  state[t] = s;
}

// Directions of Sobol in shared memory, a sum over dimensions of a smooth function.
__global__ void quasi_integral(float* out, const unsigned* direction, int points, int dimensions) {
  extern __shared__ unsigned v[];
  for (int i = threadIdx.x; i < dimensions * 32; i += blockDim.x) v[i] = direction[i];
  __syncthreads();
  float sum = 0;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < points; p += gridDim.x * blockDim.x) {
    float f = 1;
    for (int d = 0; d < dimensions; ++d) {
      unsigned x = 0;
      for (unsigned g = p ^ p >> 1, k = 0; g; g >>= 1, ++k)
        if (g & 1) x ^= v[d * 32 + k];
      f *= 1.0f + 0.1f * (x * 2.3283064e-10f - 0.5f);
    }
    sum += f;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Draws from a table of aliases: a place at random, then perhaps its other.
__global__ void alias_draws(unsigned* out, const float* limit, const unsigned* other, int n,
                            unsigned mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 r = philox(make_uint4(i, 1, 2, 3), make_uint2(5, 6));
    const unsigned at = r.x & mask;
    out[i] = r.y * 2.3283064e-10f < limit[at] ? at : other[at] & mask;
  }
}

// Normal numbers by layers: a table of 256 in shared memory, tails for few lanes.
__global__ void layered_normals(float* out, const float* edge, int each) {
  __shared__ float x[257];
  for (int i = threadIdx.x; i < 257; i += blockDim.x) x[i] = 0.2f + edge[i] * 3.0f;
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  unsigned s = t * 2654435761u + 1;
  for (int i = 0; i < each; ++i) {
    float v = 0;
    for (int tries = 0; tries < 16; ++tries) {
      s ^= s << 13, s ^= s >> 17, s ^= s << 5;
      const int layer = s & 255;
      v = (int)s * 4.656613e-10f * x[layer];
      if (fabsf(v) < 0.9f * x[layer]) break;
      s ^= s << 13, s ^= s >> 17, s ^= s << 5;
      const float u = s * 2.3283064e-10f;
      if (u < expf(-0.5f * v * v) * 0.7f) break;
    }
    out[(size_t)i * threads + t] = v;
  }
}

// Prices whose variance wanders, in doubles: two normal numbers a step.
__global__ void wandering_variance(double* out, int steps) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  double x = 0, v = 0.04;
  for (int i = 0; i < steps; ++i) {
    const uint4 r = philox(make_uint4(t, i, 0, 0), make_uint2(1, 2));
    const double radius = sqrt(-2.0 * log((r.x + 0.5) * 2.3283064365386963e-10));
    double s, c;
    sincospi(2.0 * r.y * 2.3283064365386963e-10, &s, &c);
    const double root = sqrt(fmax(v, 0.0) * 0.004);
    x += -0.002 * v + root * radius * c;
    v += 0.006 * (0.04 - v) + 0.3 * root * radius * (0.8 * s - 0.6 * c);
  }
  out[t] = exp(x);
}

// Photons in layers: each goes until it is absorbed, a hundred steps at most; marks by atomics.
__global__ void photons(float* absorbed, float scatter, int each) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 2891336453u;
  const auto random = [&] {
    s = s * 1664525u + 1013904223u;
    const unsigned w = ((s >> (s >> 28) + 4) ^ s) * 277803737u;
    return ((w >> 22 ^ w) + 0.5f) * 2.3283064e-10f;
  };
  for (int p = 0; p < each; ++p) {
    float z = 0, mu = 1, weight = 1;
    for (int step = 0; step < 100 && weight > 0.01f; ++step) {
      z += -__logf(random()) * mu;
      if (z < 0) break;
      const int layer = min((int)(z * 4), 255);
      atomicAdd(&absorbed[layer], weight * (1 - scatter));
      weight *= scatter;
      const float c = 2 * random() - 1;
      mu = mu * c + sqrtf((1 - mu * mu) * (1 - c * c)) * __cosf(6.2831853f * random());
    }
  }
}

// Angles on a grid try new ones: half of the points, chosen as on a chessboard.
__global__ void turn_angles(float* angle, int side, int colour, float beta) {
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x),
            y = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = y * side + (x + (y + colour) % 2) % side;
  if (x >= side || y >= side) return;
  const int col = at % side;
  const float a = angle[at], l = angle[y * side + (col + side - 1) % side],
              r = angle[y * side + (col + 1) % side];
  const float u = angle[(y + side - 1) % side * side + col], d = angle[(y + 1) % side * side + col];
  const uint4 q = philox(make_uint4(at, colour, 0, 0), make_uint2(9, 9));
  const float b = a + 2.0f * (q.x * 2.3283064e-10f - 0.5f);
  const float change = cosf(a - l) + cosf(a - r) + cosf(a - u) + cosf(a - d) - cosf(b - l) -
                       cosf(b - r) - cosf(b - u) - cosf(b - d);
  if (q.y * 2.3283064e-10f < __expf(-beta * change)) angle[at] = b;
}
