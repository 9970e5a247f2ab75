// Rates of the whole chip under load, for the virtual GPU's slices of L2, its block scheduler and
// its DRAM: blocks that do nothing, or one atomic; accesses of all SMs, or of some, to sets of
// memory that L2 holds or not, by how many bytes lie side by side; streams by size. Nothing of gpx
// is used here.
//
// Usage: chip_rates
// Output: what,pattern,blocks or bytes,threads,nanoseconds (median of 5), accesses of warps
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

namespace {

constexpr int kRuns = 5;
constexpr std::uint64_t kMB = 1 << 20;

// After two launches that are not timed.
template <class Launch>
double warm_nanoseconds_of(Launch launch) {
  for (int i = 0; i < 2; ++i) launch();
  return nanoseconds_of(kRuns, launch);
}

void print(const char* what, const char* pattern, std::uint64_t size, int threads, double ns,
           std::uint64_t accesses) {
  std::printf("%s,%s,%llu,%d,%.0f,%llu\n", what, pattern, static_cast<unsigned long long>(size),
              threads, ns, static_cast<unsigned long long>(accesses));
}

// Blocks.

enum class End {
  nothing,
  red32,
  red64,
  red_float,
  atom32,
  atom64,
  store,
  red64_apart,
  red32_of_sm
};

template <End kEnd>
__global__ void blocks(char* at) {
  if (threadIdx.x != 0) return;
  auto* word = reinterpret_cast<unsigned*>(at);
  auto* wide = reinterpret_cast<unsigned long long*>(at);
  switch (kEnd) {
    case End::nothing:
      break;
    case End::red32:
      atomicAdd(word, 1u);
      break;
    case End::red64:
      atomicAdd(wide, 1ull);
      break;
    case End::red_float:
      atomicAdd(reinterpret_cast<float*>(at), 1.f);
      break;
    case End::atom32:
      wait_for(atomicAdd(word, 1u));
      break;
    case End::atom64:
      wait_for(atomicAdd(wide, 1ull));
      break;
    case End::store:
      *reinterpret_cast<volatile unsigned*>(at) = 1;
      break;
    case End::red64_apart:
      atomicAdd(wide + blockIdx.x * 16, 1ull);
      break;
    case End::red32_of_sm:
      atomicAdd(word + this_sm() * 32, 1u);
      break;
  }
}

template <End kEnd>
void print_blocks(const char* pattern, char* data, std::initializer_list<int> sizes,
                  std::initializer_list<int> threads) {
  for (const int size : sizes)
    for (const int count : threads)
      print("blocks", pattern, size, count,
            warm_nanoseconds_of([&] { blocks<kEnd><<<size, count>>>(data); }), size);
}

// Accesses: every `group` lanes next to each other access neighbouring words, each group somewhere.

enum class Kind { load, store, red, copy };

__device__ std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// `apart`: 0, or bytes between groups, which then follow each other.
template <Kind kKind>
__global__ void accesses(char* data, std::uint32_t mask, int group, int rounds, std::uint32_t apart,
                         unsigned* sink) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  const std::uint32_t lane = thread % group * 4;
  unsigned sum = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
    const std::uint32_t number = (i * all + thread) / group;
    const std::uint32_t place = (apart != 0 ? number * apart : hash(number) * group * 4) & mask;
    char* const at = data + place + lane;
    if (kKind == Kind::load) {
      unsigned v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
      sum += v;
    } else if (kKind == Kind::store) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i));
    } else if (kKind == Kind::red) {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(i));
    } else {
      unsigned v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
      asm volatile("st.global.u32 [%0], %1;" ::"l"(at + mask + 1), "r"(v));
    }
  }
  if (sum == 0x12345) *sink = sum;
}

template <Kind kKind>
void print_accesses(const char* what, char* data, unsigned* sink, std::uint64_t set, int grid,
                    int block, int group, std::uint32_t apart) {
  const int warps = grid * block / 32;
  const int rounds = std::max(16, std::min(4096, 24576 * 4 / std::max(warps, 24)));
  char pattern[64];
  std::snprintf(pattern, sizeof pattern, "%dB%s%u of %lluKB", group * 4,
                apart ? " by " : " random ", apart, static_cast<unsigned long long>(set >> 10));
  const double ns = warm_nanoseconds_of([&] {
    accesses<kKind>
        <<<grid, block>>>(data, static_cast<std::uint32_t>(set - 1), group, rounds, apart, sink);
  });
  print(what, pattern, grid, block, ns, static_cast<std::uint64_t>(warps) * rounds);
}

template <Kind kKind>
void print_kind(const char* what, char* data, unsigned* sink) {
  for (const std::uint64_t set : {4 * kMB, 16 * kMB})
    for (const int group : {1, 2, 4, 8, 16, 32})
      print_accesses<kKind>(what, data, sink, set, 528, 512, group, 0);
  for (const int group : {1, 8, 16, 32})
    print_accesses<kKind>(what, data, sink, 256 * kMB, 528, 512, group, 0);
  for (const int grid : {1, 2, 8, 16, 33, 66, 132, 264})
    for (const int group : {1, 8, 32})
      print_accesses<kKind>(what, data, sink, 4 * kMB, grid, 512, group, 0);
  for (const std::uint32_t apart : {8u, 16u, 32u, 64u, 128u, 256u, 1024u, 4096u})
    print_accesses<kKind>(what, data, sink, 4 * kMB, 528, 512, 1, apart);
}

// Streams.

enum class Stream { read, write, copy, update, triad };

template <Stream kStream, class Word>
__global__ void stream(Word* out, const Word* in, const Word* more, std::uint32_t count,
                       unsigned* sink) {
  unsigned sum = 0;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    if (kStream == Stream::read) {
      sum += in[i].x;
    } else if (kStream == Stream::write) {
      Word v{};
      v.x = i;
      out[i] = v;
    } else if (kStream == Stream::copy) {
      out[i] = in[i];
    } else if (kStream == Stream::update) {
      Word v = out[i];
      v.x += 3;
      out[i] = v;
    } else {
      Word v = in[i];
      v.x += 3 * more[i].x;
      out[i] = v;
    }
  }
  if (sum == 0x12345) *sink = sum;
}

template <Stream kStream, class Word>
void print_stream(const char* what, char* data, unsigned* sink) {
  for (const std::uint64_t mb : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64, 96, 128, 256}) {
    const std::uint64_t bytes = mb * kMB;
    const auto count = static_cast<std::uint32_t>(bytes / sizeof(Word));
    auto* const out = reinterpret_cast<Word*>(data);
    const auto* const in = reinterpret_cast<const Word*>(data + bytes);
    const auto* const more = reinterpret_cast<const Word*>(data + 2 * bytes);
    for (const int grid : {132 * 8, static_cast<int>((count + 255) / 256)}) {
      char pattern[64];
      std::snprintf(pattern, sizeof pattern, "%zuB %s", sizeof(Word),
                    grid == 1056 ? "loop" : "one");
      print(what, pattern, bytes, 256, warm_nanoseconds_of([&] {
              stream<kStream, Word><<<grid, 256>>>(out, in, more, count, sink);
            }),
            count / 32);
    }
  }
}

}  // namespace

int main() {
  char* const data = device<char>(1024 * kMB);
  auto* const sink = device<unsigned>(1);
  for (int i = 0; i < 2000; ++i)
    accesses<Kind::load><<<528, 512>>>(data, 4 * kMB - 1, 1, 16, 0, sink);
  CHECK(cudaDeviceSynchronize());  // the GPU is awake

  std::puts("what,pattern,size,threads,ns,accesses");
  print_blocks<End::nothing>("nothing", data,
                             {1, 132, 500, 1000, 2000, 4000, 8000, 16000, 32000, 65000},
                             {32, 64, 128, 256, 512, 1024});
  print_blocks<End::red32>("red32", data, {1, 132, 500, 1000, 2000, 4000, 8000, 16000}, {32, 256});
  print_blocks<End::red64>("red64", data, {1, 132, 500, 1000, 2000, 4000, 8000, 16000},
                           {32, 256, 1024});
  print_blocks<End::red_float>("red_float", data, {132, 1000, 4000, 16000}, {32, 256});
  print_blocks<End::atom32>("atom32", data, {132, 1000, 4000, 16000}, {32, 256});
  print_blocks<End::atom64>("atom64", data, {132, 1000, 4000, 16000}, {32, 256});
  print_blocks<End::store>("store", data, {132, 1000, 4000, 16000}, {32, 256});
  print_blocks<End::red64_apart>("red64_apart", data, {132, 1000, 4000, 16000}, {32, 256});
  print_blocks<End::red32_of_sm>("red32_of_sm", data, {132, 1000, 4000, 16000}, {32, 256});
  std::fflush(stdout);

  print_kind<Kind::load>("load", data, sink);
  print_kind<Kind::store>("store", data, sink);
  print_kind<Kind::red>("red", data, sink);
  print_kind<Kind::copy>("copy", data, sink);
  std::fflush(stdout);

  print_stream<Stream::read, uint1>("stream_read", data, sink);
  print_stream<Stream::read, uint4>("stream_read", data, sink);
  print_stream<Stream::write, uint1>("stream_write", data, sink);
  print_stream<Stream::write, uint4>("stream_write", data, sink);
  print_stream<Stream::copy, uint1>("stream_copy", data, sink);
  print_stream<Stream::copy, uint4>("stream_copy", data, sink);
  print_stream<Stream::update, uint4>("stream_update", data, sink);
  print_stream<Stream::triad, uint4>("stream_triad", data, sink);
  return 0;
}
