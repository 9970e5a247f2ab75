// gpx: --entry permute --grid 1 --block 32 --buffer out=2KB --buffer in=2KB:hash
#include <cstddef>
#include <cstdint>
using u64 = std::uint64_t; using std::size_t;
static constexpr int ROUNDS = 4;
__device__ __constant__ u64 RC[ROUNDS] = {0x1ULL, 0x8082ULL, 0x800000000000808aULL, 0x8000000080008000ULL};
#define ROTL(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
__device__ __noinline__ void rounds(u64 (&s)[8]) {
#pragma unroll 1
  for (int r = 0; r < ROUNDS; ++r) { u64 t = s[7]; for (int i = 7; i > 0; --i) s[i] = ROTL(s[i - 1] ^ RC[r], 7); s[0] = t; }
}
__global__ void permute(u64 *out, const u64 *in) { u64 s[8]; for (int i = 0; i < 8; ++i) s[i] = in[threadIdx.x * 8 + i]; rounds(s); for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = s[i]; }
std::string hex(const u64 *s, size_t n) { std::ostringstream o; for (size_t i = 0; i < n; ++i) o << std::hex << s[i]; return o.str(); }
