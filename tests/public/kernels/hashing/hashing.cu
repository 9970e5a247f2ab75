// gpx: --entry fnv1a --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry murmur_finish --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry crc32_bits --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry crc32_table --grid 1 --block 256 --buffer ok=1KB expect ok==1
// gpx: --entry adler --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry sha256_words --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry open_addressing --grid 1 --block 128 --buffer ok=512B expect ok==1
// gpx: --entry cuckoo --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry bloom --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry rolling --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry siphash_round --grid 1 --block 32 --buffer ok=128B --arg k0=0x0706050403020100 --arg k1=0x0f0e0d0c0b0a0908 expect ok==1
// gpx: --entry chained_table --grid 1 --block 64 --buffer ok=256B expect ok==1
__device__ unsigned fnv(const char* text, int length) {
  unsigned h = 2166136261u;
  for (int i = 0; i < length; ++i) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}
extern "C" __global__ void fnv1a(int* ok) {
  ok[threadIdx.x] = fnv("", 0) == 0x811c9dc5u && fnv("a", 1) == 0xe40c292cu &&
                    fnv("foobar", 6) == 0xbf9cf968u;
}

extern "C" __global__ void murmur_finish(int* ok) {
  unsigned h = threadIdx.x + 1, first = h;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  // Backwards, by the inverses modulo 2^32.
  unsigned g = h;
  g ^= g >> 16;
  g *= 0x7ed1b41du;
  g ^= g >> 13 ^ g >> 26;
  g *= 0xa5cb9243u;
  g ^= g >> 16;
  ok[threadIdx.x] = g == first;
}

__device__ unsigned crc_of_byte(unsigned crc) {
  for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  return crc;
}
extern "C" __global__ void crc32_bits(int* ok) {
  const char text[] = "123456789";
  unsigned crc = 0xffffffffu;
  for (int i = 0; i < 9; ++i) crc = crc_of_byte((crc ^ text[i]) & 255) ^ crc >> 8;
  ok[threadIdx.x] = ~crc == 0xcbf43926u;
}

extern "C" __global__ void crc32_table(int* ok) {
  __shared__ unsigned table[256];
  int t = threadIdx.x;
  table[t] = crc_of_byte(t);
  __syncthreads();
  const char text[] = "123456789";
  unsigned crc = 0xffffffffu;
  for (int i = 0; i < 9; ++i) crc = table[(crc ^ text[i]) & 255] ^ crc >> 8;
  ok[t] = ~crc == 0xcbf43926u && table[128] == 0xedb88320u;
}

extern "C" __global__ void adler(int* ok) {
  const char text[] = "Wikipedia";
  unsigned a = 1, b = 0;
  for (int i = 0; i < 9; ++i) a = (a + text[i]) % 65521, b = (b + a) % 65521;
  ok[threadIdx.x] = (b << 16 | a) == 0x11e60398u;
}

// The first words of the constants: roots of primes.
extern "C" __global__ void sha256_words(int* ok) {
  unsigned x = 0x6a09e667u + threadIdx.x, e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu;
  unsigned s1 = __funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25);
  unsigned direct = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7);
  unsigned choose = (e & f) ^ (~e & g), majority = (x & f) ^ (x & g) ^ (f & g);
  bool good = s1 == direct;
  for (int b = 0; b < 32; ++b) {
    good = good && (choose >> b & 1) == ((e >> b & 1) ? f >> b & 1 : g >> b & 1);
    good = good && (majority >> b & 1) == ((x >> b & 1) + (f >> b & 1) + (g >> b & 1) >= 2);
  }
  ok[threadIdx.x] = good;
}

extern "C" __global__ void open_addressing(int* ok) {
  __shared__ int key[256], value[256];
  int t = threadIdx.x, mine = t * t + 7;
  key[t] = key[t + 128] = -1;
  __syncthreads();
  for (unsigned at = mine * 2654435761u >> 24;; at = (at + 1) & 255) {
    int before = atomicCAS(&key[at], -1, mine);
    if (before == -1) {
      value[at] = t;
      break;
    }
  }
  __syncthreads();
  int other = (t + 64) & 127, wanted = other * other + 7;
  unsigned at = wanted * 2654435761u >> 24;
  while (key[at] != wanted && key[at] != -1) at = (at + 1) & 255;
  ok[t] = key[at] == wanted && value[at] == other;
}

extern "C" __global__ void cuckoo(int* ok) {
  __shared__ unsigned table[2][128];
  unsigned t = threadIdx.x, item = t + 1;
  for (int i = 0; i < 4; ++i) table[i & 1][t + 64 * (i >> 1)] = 0;
  __syncthreads();
  int side = 0;
  for (int tries = 0; tries < 200 && item; ++tries, side ^= 1) {
    unsigned at = (item * (side ? 0x9e3779b1u : 0x85ebca77u)) >> 25;
    item = atomicExch(&table[side][at], item);
  }
  bool left_over = item != 0;
  __syncthreads();
  unsigned wanted = t + 1;
  bool found = table[0][wanted * 0x85ebca77u >> 25] == wanted ||
               table[1][wanted * 0x9e3779b1u >> 25] == wanted;
  int lost = __syncthreads_count(left_over), missing = __syncthreads_count(!found);
  ok[t] = lost == missing;
}

extern "C" __global__ void bloom(int* ok) {
  __shared__ unsigned filter[64];
  unsigned t = threadIdx.x;
  filter[t] = 0;
  __syncthreads();
  unsigned a = (t * 0x9e3779b1u) >> 21, b = (t * 0x85ebca77u) >> 21;
  atomicOr(&filter[a >> 5], 1u << (a & 31));
  atomicOr(&filter[b >> 5], 1u << (b & 31));
  __syncthreads();
  bool in = (filter[a >> 5] >> (a & 31) & 1) && (filter[b >> 5] >> (b & 31) & 1);
  int bits = 0;
  for (int i = 0; i < 64; ++i) bits += __popc(filter[i]);
  ok[t] = in && bits <= 128 && bits > 64;
}

extern "C" __global__ void rolling(int* ok) {
  unsigned t = threadIdx.x, power = 1, direct = 0, rolled = 0;
  auto at = [](unsigned i) { return i * i % 251 + 1; };
  for (int i = 0; i < 7; ++i) power *= 31;
  for (unsigned i = 0; i < 8; ++i) rolled = rolled * 31 + at(i);
  for (unsigned i = 0; i < t; ++i) rolled = (rolled - at(i) * power) * 31 + at(i + 8);
  for (unsigned i = t; i < t + 8; ++i) direct = direct * 31 + at(i);
  ok[t] = rolled == direct;
}

__device__ unsigned long long rotate(unsigned long long x, int by) {
  return x << by | x >> (64 - by);
}
__device__ void sip(unsigned long long v[4]) {
  v[0] += v[1], v[1] = rotate(v[1], 13) ^ v[0], v[0] = rotate(v[0], 32);
  v[2] += v[3], v[3] = rotate(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = rotate(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = rotate(v[1], 17) ^ v[2], v[2] = rotate(v[2], 32);
}
// SipHash-2-4 of no bytes, of the paper's vectors.
extern "C" __global__ void siphash_round(int* ok, unsigned long long k0, unsigned long long k1) {
  unsigned long long v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull,
                             k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
  sip(v), sip(v);
  v[2] ^= 255;
  for (int i = 0; i < 4; ++i) sip(v);
  ok[threadIdx.x] = (v[0] ^ v[1] ^ v[2] ^ v[3]) == 0x726fdb47dd0e0e31ull;
}

extern "C" __global__ void chained_table(int* ok) {
  __shared__ int head[8], next[64];
  int t = threadIdx.x, bucket = t * 5 % 8;
  if (t < 8) head[t] = -1;
  __syncthreads();
  next[t] = atomicExch(&head[bucket], t);
  __syncthreads();
  int length = 0;
  bool found = false;
  for (int at = head[bucket]; at >= 0; at = next[at]) ++length, found = found || at == t;
  ok[t] = found && length == 8;
}
