// Random numbers and what is estimated with them.
struct Xorwow {
  unsigned x, y, z, w, v, d;
  __device__ explicit Xorwow(unsigned seed)
      : x(123456789u ^ seed * 2654435761u),
        y(362436069u + seed),
        z(521288629u),
        w(88675123u),
        v(5783321u),
        d(6615241u) {}
  __device__ unsigned next() {
    const unsigned t = x ^ (x >> 2);
    x = y, y = z, z = w, w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    return (d += 362437u) + v;
  }
  __device__ float uniform() { return next() * 2.3283064e-10f; }
};

__global__ void throw_darts(unsigned* inside, int rounds) {
  Xorwow random(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned count = 0;
  for (int k = 0; k < rounds; ++k) {
    const float x = random.uniform(), y = random.uniform();
    if (x * x + y * y < 1.0f) ++count;
  }
  for (int d = 16; d > 0; d /= 2) count += __shfl_down_sync(0xffffffffu, count, d);
  if (threadIdx.x % 32 == 0) atomicAdd(inside, count);
}

__device__ uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    const unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    const unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}

__global__ void normals(float4* out, int n, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 r = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 7));
  float s0, c0, s1, c1;
  sincospif(r.y * 4.6566129e-10f, &s0, &c0);
  sincospif(r.w * 4.6566129e-10f, &s1, &c1);
  const float a = sqrtf(-2.0f * logf((r.x + 1.0f) * 2.3283e-10f)),
              b = sqrtf(-2.0f * logf((r.z + 1.0f) * 2.3283e-10f));
  out[i] = make_float4(a * s0, a * c0, b * s1, b * c1);
}

// The price of a barrier option: a path ends early if it falls below.
__global__ void option_paths(float* out, int steps, float low) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Xorwow random(i);
  float price = 100.0f;
  int k = 0;
  for (; k < steps && price > low; ++k) {
    const float u = random.uniform() + random.uniform() + random.uniform() - 1.5f;
    price *= __expf(0.0001f + 0.04f * u);
  }
  out[i] = k < steps ? 0.0f : fmaxf(price - 100.0f, 0.0f);
}

// Spins of a byte on a checkerboard; a table of five acceptances in shared memory.
__global__ void flip_spins(signed char* spin, int width, int height, int colour, float beta) {
  __shared__ float accept[5];
  if (threadIdx.x < 5) accept[threadIdx.x] = expf(-2.0f * beta * (2 * (int)threadIdx.x - 4));
  __syncthreads();
  const int y = blockIdx.y;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
  if (x >= width) return;
  const int left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
  const int up = y > 0 ? y - 1 : height - 1, down = y + 1 < height ? y + 1 : 0;
  const auto at = [&](int column, int row) { return spin[(size_t)row * width + column] & 2; };
  const int me = at(x, y);
  const int same =
      (at(left, y) == me) + (at(right, y) == me) + (at(x, up) == me) + (at(x, down) == me);
  Xorwow random((unsigned)(y * width + x));
  if (random.uniform() < accept[same]) spin[(size_t)y * width + x] ^= 2;
}
