// What single bytes, words and sectors of a warp take that lie apart: stores narrower than a word,
// reductions by how many sectors and lines a warp reaches, atomics in the shared memory of a
// cluster. All by what a further round of all warps takes. Nothing of gpx is used here.
//
// Usage: scattered    Output: what,pattern,size,blocks,picoseconds of a round of one warp (of all
// warps together; from the medians of 5 launches with few and with many rounds)
#include <cooperative_groups.h>

#include <cstdint>
#include <cstdio>

#include "measure.h"

namespace {
namespace cg = cooperative_groups;

constexpr int kRuns = 5;
constexpr int kFew = 8, kMany = 40;
char* memory = nullptr;

template <class Launch>
void print(const char* what, const char* pattern, unsigned size, int blocks, double warps,
           Launch launch) {
  launch(kFew);
  launch(kMany);
  const double few = nanoseconds_of(kRuns, [&] { launch(kFew); }),
               many = nanoseconds_of(kRuns, [&] { launch(kMany); });
  std::printf("%s,%s,%u,%d,%.1f\n", what, pattern, size, blocks,
              1000 * (many - few) / (kMany - kFew) / warps);
  std::fflush(stdout);
}

// Each lane anywhere (`apart` 0), or `apart` bytes behind the lane before, from a place of 128
// bytes that is anywhere.
template <class T>
__global__ void stores(char* data, unsigned size, unsigned apart, int rounds) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    unsigned at = mix((apart ? id / 32 : id) * 64 + k) & (size - 1);
    at = apart ? (at & ~127u) + id % 32 * apart : at & ~static_cast<unsigned>(sizeof(T) - 1);
    T value{};
    *reinterpret_cast<T*>(data + (at & (size - 1))) = value;
  }
}

template <class T>
void print_stores(const char* what) {
  for (const unsigned size : {64u << 10, 4u << 20, 64u << 20})
    for (const int blocks : {1, 528})
      print(what, "anywhere", size, blocks, blocks * 16.0,
            [&](int rounds) { stores<T><<<blocks, 512>>>(memory, size, 0, rounds); });
  for (const unsigned apart : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    if (apart < sizeof(T)) continue;
    char pattern[32];
    std::snprintf(pattern, sizeof pattern, "by %u", apart);
    for (const int blocks : {1, 528})
      print(what, pattern, 4u << 20, blocks, blocks * 16.0,
            [&](int rounds) { stores<T><<<blocks, 512>>>(memory, 4u << 20, apart, rounds); });
  }
}

enum class Op { add32, add64, max64, real, real64, cas, returned };

template <Op kOp>
__device__ unsigned reduce(char* at, unsigned k) {
  auto* word = reinterpret_cast<unsigned*>(at);
  auto* wide = reinterpret_cast<unsigned long long*>(at);
  if (kOp == Op::add32) atomicAdd(word, 1u);
  if (kOp == Op::add64) atomicAdd(wide, 1ull);
  if (kOp == Op::max64) atomicMax(wide, 1ull + k);
  if (kOp == Op::real) atomicAdd(reinterpret_cast<float*>(at), 1.0f);
  if (kOp == Op::real64) atomicAdd(reinterpret_cast<double*>(at), 1.0);
  if (kOp == Op::cas) return atomicCAS(word, 0u, k + 1);
  if (kOp == Op::returned) return atomicAdd(word, 1u);
  return 0;
}

// Lane by lane to `distinct` places that lie `apart` bytes from each other, the same for all warps;
// `apart` 0: anywhere in `size` bytes.
template <Op kOp>
__global__ void reductions(char* data, unsigned distinct, unsigned apart, unsigned size,
                           int rounds) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  const char* const begin = data;
  unsigned sum = 0;
  for (int k = 0; k < rounds; ++k) {
    const unsigned place =
        apart ? id % 32 % distinct * apart : (mix(id * 64 + k) & (size - 1)) & ~7u;
    sum += reduce<kOp>(const_cast<char*>(begin) + place, k);
  }
  if (sum == 0x12345671) *data = 1;
}

template <Op kOp>
void print_reductions(const char* what, unsigned word) {
  for (const unsigned apart : {word, 32u, 64u, 128u, 256u, 1024u, 4096u})
    for (const unsigned distinct : {1u, 2u, 4u, 8u, 16u, 32u}) {
      if (distinct == 1 && apart != word) continue;
      char pattern[32];
      std::snprintf(pattern, sizeof pattern, "%u by %u", distinct, apart);
      print(what, pattern, 0, 132, 132 * 8.0,
            [&](int rounds) { reductions<kOp><<<132, 256>>>(memory, distinct, apart, 0, rounds); });
    }
  for (const unsigned size : {64u, 256u, 1024u, 4096u, 65536u, 4u << 20, 64u << 20, 256u << 20})
    for (const int blocks : {1, 528})
      print(what, "anywhere", size, blocks, blocks * 8.0,
            [&](int rounds) { reductions<kOp><<<blocks, 256>>>(memory, 1, 0, size, rounds); });
}

enum class Far { add, load, store };

// Words of the shared memory of two blocks: lanes side by side, or anywhere in 512 words; of the
// other block, of the own one, or of either.
template <Far kWhat>
__global__ void __cluster_dims__(2, 1, 1)
    cluster_words(unsigned* out, bool random, int whose, int rounds) {
  __shared__ unsigned bins[1024];
  cg::cluster_group cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) bins[i] = i;
  cluster.sync();
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int k = 0; k < rounds; ++k) {
    const unsigned h = mix(id * 64 + k), bin = random ? h & 511 : threadIdx.x + 32 * k & 511;
    const unsigned rank = whose == 2 ? h >> 31 : cluster.block_rank() ^ whose;
    unsigned* at = cluster.map_shared_rank(&bins[bin], rank);
    if (kWhat == Far::add) atomicAdd(at, 1u);
    if (kWhat == Far::load) sum += *reinterpret_cast<volatile unsigned*>(at);
    if (kWhat == Far::store) *reinterpret_cast<volatile unsigned*>(at) = k;
  }
  cluster.sync();
  if (sum == 0x12345671) out[id] = bins[threadIdx.x];
}

template <Far kWhat>
void print_cluster(const char* what) {
  const char* const whose[] = {"own", "other", "either"};
  for (const bool random : {false, true})
    for (int of = 0; of < 3; ++of)
      for (const int threads : {32, 512}) {
        char pattern[32];
        std::snprintf(pattern, sizeof pattern, "%s %s", random ? "anywhere" : "side by side",
                      whose[of]);
        print(what, pattern, threads, 132, threads / 32.0, [&](int rounds) {
          cluster_words<kWhat>
              <<<132, threads>>>(reinterpret_cast<unsigned*>(memory), random, of, rounds * 8);
        });
      }
}

}  // namespace

int main() {
  memory = device<char>(256u << 20);
  std::printf("what,pattern,size,blocks,picoseconds\n");
  print_stores<unsigned char>("store 1");
  print_stores<unsigned short>("store 2");
  print_stores<unsigned>("store 4");
  print_stores<uint2>("store 8");
  print_stores<uint4>("store 16");
  print_reductions<Op::add32>("add 32", 4);
  print_reductions<Op::add64>("add 64", 8);
  print_reductions<Op::max64>("max 64", 8);
  print_reductions<Op::real>("add float", 4);
  print_reductions<Op::real64>("add double", 8);
  print_reductions<Op::cas>("compare and swap", 4);
  print_reductions<Op::returned>("add 32 returned", 4);
  print_cluster<Far::add>("cluster add, of an SM");
  print_cluster<Far::load>("cluster load, of an SM");
  print_cluster<Far::store>("cluster store, of an SM");
}
