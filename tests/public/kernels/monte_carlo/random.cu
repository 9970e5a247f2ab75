// gpx: --entry linear_congruential --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry xorshift32 --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry xorshift64 --grid 1 --block 32 --buffer ok=128B --arg seed=0x2545f4914f6cdd1d expect ok==1
// gpx: --entry pi --grid 2 --block 64 --buffer count=4B:zero --buffer done=4B:zero --buffer ok=4B expect ok==1
// gpx: --entry philox --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry mersenne_like --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry box_muller --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry skip_ahead --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry shuffle_deck --grid 1 --block 8 --buffer ok=32B expect ok==1
// gpx: --entry random_walk --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry integrate --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry halton --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

extern "C" __global__ void linear_congruential(int* ok) {
  unsigned x = threadIdx.x, start = x, seen = 0;
  for (int i = 0; i < 256; ++i) {
    x = (x * 5 + 3) % 256;
    seen += x == start;
  }
  ok[threadIdx.x] = seen == 1 && x == start;
}

extern "C" __global__ void xorshift32(int* ok) {
  unsigned x = threadIdx.x + 1, first = x;
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  unsigned y = x;
  // Undone step by step.
  y ^= y << 5, y ^= y << 10, y ^= y << 20;
  y ^= y >> 17;
  y ^= y << 13, y ^= y << 26;
  ok[threadIdx.x] = y == first && x != first;
}

extern "C" __global__ void xorshift64(int* ok, unsigned long long seed) {
  unsigned long long x = seed + threadIdx.x, bits = 0;
  for (int i = 0; i < 1000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    bits += __popcll(x);
  }
  ok[threadIdx.x] = bits > 31000 && bits < 33000 && seed == 2685821657736338717ull;
}

extern "C" __global__ void pi(unsigned* count, unsigned* done, int* ok) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, hits = 0;
  for (unsigned k = 0; k < 64; ++k) {
    unsigned r = hash(i * 64 + k);
    float x = (r & 0xffff) / 65536.0f, y = (r >> 16) / 65536.0f;
    hits += x * x + y * y < 1;
  }
  atomicAdd(count, hits);
  __threadfence();
  if (atomicAdd(done, 1u) == n - 1)
    *ok = fabsf(4.0f * atomicAdd(count, 0u) / (n * 64) - 3.14159f) < 0.1f;
}

extern "C" __global__ void philox(int* ok) {
  unsigned c[4] = {threadIdx.x, 0, 0, 0}, k0 = 0xdeadbeef, k1 = 0xcafe;
  for (int round = 0; round < 10; ++round) {
    unsigned h0 = __umulhi(0xD2511F53u, c[0]), l0 = 0xD2511F53u * c[0];
    unsigned h1 = __umulhi(0xCD9E8D57u, c[2]), l1 = 0xCD9E8D57u * c[2];
    unsigned next[4] = {h1 ^ c[1] ^ k0, l1, h0 ^ c[3] ^ k1, l0};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  unsigned other = __shfl_xor_sync(0xffffffffu, c[0], 1);
  int differ = __popc(other ^ c[0]);
  ok[threadIdx.x] = differ > 4 && differ < 28;
}

extern "C" __global__ void mersenne_like(int* ok) {
  unsigned state[16], t = threadIdx.x;
  state[0] = t + 5489;
  for (int i = 1; i < 16; ++i) state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  unsigned all = 0, any = 0xffffffffu;
  for (int i = 0; i < 64; ++i) {
    unsigned y = (state[i & 15] & 0x80000000u) | (state[(i + 1) & 15] & 0x7fffffffu);
    state[i & 15] = state[(i + 7) & 15] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    all |= state[i & 15];
    any &= state[i & 15];
  }
  ok[t] = all == 0xffffffffu && any == 0;
}

extern "C" __global__ void box_muller(int* ok) {
  __shared__ float sum, square;
  if (threadIdx.x == 0) sum = square = 0;
  __syncthreads();
  float mine = 0, squares = 0;
  for (int i = 0; i < 32; ++i) {
    float u = (hash(threadIdx.x * 64 + 2 * i) + 1.0f) / 4294967808.0f,
          v = hash(threadIdx.x * 64 + 2 * i + 1) / 4294967296.0f;
    float r = sqrtf(-2 * logf(u));
    float a = r * cospif(2 * v), b = r * sinpif(2 * v);
    mine += a + b;
    squares += a * a + b * b;
  }
  atomicAdd(&sum, mine);
  atomicAdd(&square, squares);
  __syncthreads();
  ok[threadIdx.x] = fabsf(sum / 4096) < 0.08f && fabsf(square / 4096 - 1) < 0.12f;
}

extern "C" __global__ void skip_ahead(int* ok) {
  const unsigned long long a = 6364136223846793005ull, c = 1442695040888963407ull;
  unsigned n = threadIdx.x * 37;
  unsigned long long x = 42, mul = 1, add = 0, am = a, cm = c;
  for (unsigned k = n; k; k >>= 1) {
    if (k & 1) mul *= am, add = add * am + cm;
    cm *= am + 1;
    am *= am;
  }
  unsigned long long jumped = mul * x + add;
  for (unsigned i = 0; i < n; ++i) x = x * a + c;
  ok[threadIdx.x] = x == jumped;
}

extern "C" __global__ void shuffle_deck(int* ok) {
  unsigned char deck[52];
  for (int i = 0; i < 52; ++i) deck[i] = i;
  for (int i = 51; i > 0; --i) {
    int j = hash(threadIdx.x * 100 + i) % (i + 1);
    unsigned char swap = deck[i];
    deck[i] = deck[j];
    deck[j] = swap;
  }
  unsigned long long seen = 0;
  int moved = 0;
  for (int i = 0; i < 52; ++i) seen |= 1ull << deck[i], moved += deck[i] != i;
  ok[threadIdx.x] = seen == (1ull << 52) - 1 && moved > 40;
}

extern "C" __global__ void random_walk(int* ok) {
  int place = 0, steps = 0;
  unsigned state = threadIdx.x + 1;
  while (abs(place) < 4 && steps < 4096) {
    state = hash(state + steps);
    place += state & 1 ? 1 : -1;
    ++steps;
  }
  ok[threadIdx.x] = abs(place) == 4 && steps % 2 == 0;
}

extern "C" __global__ void integrate(int* ok) {
  __shared__ double s[128];
  int t = threadIdx.x;
  double x = (t + 0.5) / 128;
  s[t] = exp(-x) / 128;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  __syncthreads();
  ok[t] = fabs(s[0] - (1 - exp(-1.0))) < 1e-5;
}

extern "C" __global__ void halton(int* ok) {
  __shared__ float s[64];
  int t = threadIdx.x, n = t + 1;
  float f = 0.5f, v = 0;
  for (int k = n; k; k /= 2, f /= 2) v += f * (k & 1);
  s[t] = v;
  __syncthreads();
  int below = 0;
  for (int i = 0; i < 64; ++i) below += s[i] < 0.5f;
  ok[t] = below == 32 && v == (__brev(n) >> 8) / 16777216.0f;
}
