// Translation look-aside buffers from averages over random placements, for comparison with what the
// analysis `tlb` finds. Nothing of gpx is used here.
//
// One random line of each of N granules of memory, in random order, is chased by one thread; all
// lines stay in L2. The mean clocks of a load, over several placements, cancel the slices' distances:
// what remains and grows with N is translation. Nearly all of the GPU's memory is one allocation.
//
// Usage: translation reach|sharing|sets|mapped    Output: kind, granule, N, clocks (mean), placements
// sets: of 2200 granules of 32 MB each is left out once. Where its set held one too many, all misses of
// that set go with it. Those granules alone then miss every time: the clocks of a miss, and the ways.
// mapped: 32 MB of memory, mapped at each of 6144 addresses 32 MB apart: more granules than the memory has.
#include <algorithm>
#include <cmath>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <cuda.h>

#include "check.h"

namespace {

constexpr std::uint64_t kLine = 128;

__device__ unsigned long long read_clock() {
  unsigned long long c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
  return c;
}

// A read that is not issued before `value` is there: no link is 1.
__device__ unsigned long long clock_behind(std::uint64_t value) {
  unsigned long long c = 0;
  asm volatile("{.reg .pred q; setp.ne.u64 q, %1, 1; @q mov.u64 %0, %%clock64;}"
               : "+l"(c)
               : "l"(value)
               : "memory");
  return c;
}

__global__ void link(char* base, const std::uint64_t* offsets, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    *reinterpret_cast<std::uint64_t*>(base + offsets[i]) =
        reinterpret_cast<std::uint64_t>(base + offsets[i + 1 == n ? 0 : i + 1]);
}

__device__ std::uint64_t follow(std::uint64_t p, int loads) {
#pragma unroll 1
  for (int i = 0; i < loads; ++i)
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  return p;
}

// `warm` rounds, then one that is timed. Only one block, on that SM, goes on.
__global__ void chase(char* base, const std::uint64_t* offsets, int n, int warm, int sm,
                      unsigned* claim, double* clocks) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (static_cast<int>(here) != sm || atomicAdd(claim, 1u) > 0) return;
  // One loop for all rounds, so that the timed ones find its code in the instruction cache.
  std::uint64_t p = reinterpret_cast<std::uint64_t>(base + offsets[0]);
  unsigned long long begin = 0;
  for (int round = 0; round < warm + 2; ++round) {
    if (round == warm) begin = read_clock();
    p = follow(p, n);
  }
  *clocks = static_cast<double>(clock_behind(p) - begin) / (2.0 * n);
}

// Two SMs chase a list each at once; the first one's clocks.
__global__ void chase_beside(char* base, const std::uint64_t* mine, int n, const std::uint64_t* theirs,
                             int m, int sm, int other, unsigned* claims, volatile unsigned* stop,
                             double* clocks) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (static_cast<int>(here) == other && atomicAdd(claims + 1, 1u) == 0) {
    std::uint64_t p = reinterpret_cast<std::uint64_t>(base + theirs[0]);
    for (int round = 0; round < 100000 && *stop == 0; ++round) {
      p = follow(p, m);
      if (p == 1) *clocks = 0;
      if (round == 1) atomicExch(claims + 2, 1u);
    }
    atomicExch(claims + 2, 1u);
  } else if (static_cast<int>(here) == sm && atomicAdd(claims, 1u) == 0) {
    for (int i = 0; i < 1000000 && atomicAdd(claims + 2, 0u) == 0; ++i) {
    }
    std::uint64_t p = reinterpret_cast<std::uint64_t>(base + mine[0]);
    unsigned long long begin = 0;
    for (int round = 0; round < 7; ++round) {
      if (round == 3) begin = read_clock();
      p = follow(p, n);
    }
    *clocks = static_cast<double>(clock_behind(p) - begin) / (4.0 * n);
    *stop = 1;
  }
}

struct Memory {
  char* base = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t *offsets = nullptr, *others = nullptr;
  double* clocks = nullptr;
  unsigned *claims = nullptr, *stop = nullptr;
  static constexpr int kMost = 1 << 20;
  std::mt19937_64 random{1};

  Memory() {
    CHECK(cudaMalloc(&offsets, kMost * 8));
    CHECK(cudaMalloc(&others, kMost * 8));
    CHECK(cudaMallocManaged(&clocks, 8));
    CHECK(cudaMalloc(&claims, 16));
    CHECK(cudaMalloc(&stop, 4));
    std::size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    bytes = static_cast<std::uint64_t>(free * 0.95) >> 21 << 21;
    CHECK(cudaMalloc(&base, bytes));
    std::printf("memory,%.2f GB of %.2f GB\n", bytes / 1e9, total / 1e9);
  }

  std::vector<std::uint64_t> place(std::uint64_t granule, int n, std::uint64_t from,
                                   std::uint64_t to, bool packed) {
    // packed: N granules side by side from a random one on; else N random ones.
    const std::uint64_t granules = (to - from) / granule;
    std::vector<std::uint64_t> at(n);
    if (packed) {
      const std::uint64_t first = random() % (granules - n + 1);
      for (int i = 0; i < n; ++i) at[i] = first + i;
    } else {
      std::vector<std::uint64_t> all(granules);
      for (std::uint64_t i = 0; i < granules; ++i) all[i] = i;
      for (int i = 0; i < n; ++i) std::swap(all[i], all[i + random() % (granules - i)]);
      std::copy(all.begin(), all.begin() + n, at.begin());
    }
    std::shuffle(at.begin(), at.end(), random);
    for (auto& one : at) one = from + one * granule + random() % (granule / kLine) * kLine;
    return at;
  }

  void lay(const std::vector<std::uint64_t>& at, std::uint64_t* where) {
    CHECK(cudaMemcpy(where, at.data(), at.size() * 8, cudaMemcpyHostToDevice));
    link<<<64, 256>>>(base, where, static_cast<int>(at.size()));
  }

  double mean(std::uint64_t granule, int n, int placements, bool packed, double* spread) {
    std::vector<double> all;
    for (int i = 0; i < placements; ++i) {
      lay(place(granule, n, 0, bytes, packed), offsets);
      CHECK(cudaMemset(claims, 0, 16));
      chase<<<132 * 4, 1>>>(base, offsets, n, 2, 0, claims, clocks);
      CHECK(cudaDeviceSynchronize());
      all.push_back(*clocks);
    }
    double sum = 0, squares = 0;
    for (const double c : all) sum += c;
    for (const double c : all) squares += (c - sum / all.size()) * (c - sum / all.size());
    *spread = std::sqrt(squares / all.size() / std::max<std::size_t>(1, all.size() - 1));
    return sum / all.size();
  }
};

void reach(Memory& m) {
  for (const std::uint64_t mb : {2, 4, 8, 16, 32, 64, 128}) {
    const std::uint64_t granule = mb << 20;
    const std::uint64_t most = std::min<std::uint64_t>(m.bytes / granule, 40000);
    for (double x = 4; x <= most; x *= x < 12 || x > 30 ? 1.08 : 1.04) {
      const int n = static_cast<int>(x);
      double spread = 0;
      const int placements = n < 64 ? 60 : n < 1000 ? 30 : n < 8000 ? 12 : 5;
      const double clocks = m.mean(granule, n, placements, true, &spread);
      std::printf("reach,%llu,%d,%.2f,%.2f,%d\n", static_cast<unsigned long long>(granule >> 10), n,
                  clocks, spread, placements);
    }
    std::fflush(stdout);
  }
  for (double x = 4; x <= m.bytes >> 21; x *= 1.12) {
    double spread = 0;
    const int n = static_cast<int>(x);
    const double clocks = m.mean(2ull << 20, n, n < 1000 ? 30 : 10, false, &spread);
    std::printf("random,2048,%d,%.2f,%.2f\n", n, clocks, spread);
  }
}

// More than the 2048 that the second level holds, and not one more for each of its sets.
constexpr std::uint64_t kLeftOut = 2200;

double total(Memory& m, const std::vector<std::uint64_t>& at) {
  m.lay(at, m.offsets);
  CHECK(cudaMemset(m.claims, 0, 16));
  chase<<<132 * 4, 1>>>(m.base, m.offsets, static_cast<int>(at.size()), 2, 0, m.claims, m.clocks);
  CHECK(cudaDeviceSynchronize());
  return *m.clocks * static_cast<double>(at.size());
}

void sets(Memory& m) {
  const std::uint64_t granule = 32ull << 20;
  double spread = 0;
  const double base = m.mean(granule, 1500, 30, true, &spread);
  const std::vector<std::uint64_t> all =
      m.place(granule, static_cast<int>(std::min<std::uint64_t>(m.bytes / granule, kLeftOut)), 0,
              m.bytes, true);
  const double whole = total(m, all);
  std::vector<double> drops;
  for (std::size_t leave = 0; leave < all.size(); ++leave) {
    std::vector<std::uint64_t> rest = all;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(leave));
    drops.push_back(whole - total(m, rest) - base);
  }
  std::vector<double> sorted = drops;
  std::sort(sorted.begin(), sorted.end());
  const double middle = (sorted[sorted.size() / 20] + sorted[sorted.size() * 19 / 20]) / 2;
  std::vector<std::uint64_t> full;
  double above = 0, below = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (drops[i] > middle ? above : below) += drops[i];
    if (drops[i] > middle) full.push_back(all[i]);
  }
  // What leaving out a granule of no full set changes is what `base` is off by here.
  const double drop = above / full.size(), others = below / (all.size() - full.size());
  const double set = drop - others, miss = total(m, full) / full.size() - base;
  std::printf("sets,granules %zu,base %.1f,whole %.1f,members of full sets %zu,drop %.0f (others %.0f),"
              "miss %.1f,ways + 1 = %.2f,entries %.1f\n",
              all.size(), base, whole / all.size(), full.size(), drop, others, miss, set / miss,
              all.size() - full.size() * miss / set);
  for (const double q : {0.02, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.9, 0.98})
    std::printf("drop,%.2f,%.0f\n", q, sorted[static_cast<std::size_t>(q * (sorted.size() - 1))]);
}

// N granules of 32 MB on SM 0, alone and beside as many others on each other SM: the difference, so
// that the slices' distances cancel. For the second level: half of the memory each.
void sharing(Memory& m, int sms) {
  const std::uint64_t half = m.bytes / 2 >> 25 << 25;
  for (const int n : {12, 1150}) {
    for (int other = 1; other < sms; ++other) {
      double sum = 0;
      const int placements = n < 100 ? 12 : 4;
      for (int i = 0; i < placements; ++i) {
        m.lay(m.place(32ull << 20, n, 0, half, true), m.offsets);
        m.lay(m.place(32ull << 20, n, half, m.bytes, true), m.others);
        for (const int there : {other, -1}) {
          CHECK(cudaMemset(m.claims, 0, 16));
          CHECK(cudaMemset(m.stop, 0, 4));
          const unsigned go = 1;
          if (there < 0) CHECK(cudaMemcpy(m.claims + 2, &go, 4, cudaMemcpyHostToDevice));
          chase_beside<<<sms * 2, 1>>>(m.base, m.offsets, n, m.others, n, 0, there, m.claims, m.stop,
                                       m.clocks);
          CHECK(cudaDeviceSynchronize());
          sum += there < 0 ? -*m.clocks : *m.clocks;
        }
      }
      std::printf("sharing,%d,%d,%.2f\n", n, other, sum / placements);
    }
    std::fflush(stdout);
  }
}

// The driver's function of that name.
template <class F>
F entry(const char* name) {
  void* at = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion(name, &at, 12000, cudaEnableDefault, &found));
  if (at == nullptr) std::fprintf(stderr, "no %s\n", name), std::exit(1);
  return reinterpret_cast<F>(at);
}

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) std::fprintf(stderr, "%s: %d\n", what, result), std::exit(1);
}

constexpr std::uint64_t kGranule = 32ull << 20;
constexpr int kMapped = 6144;

// The same 32 MB at every granule of addresses; the first address is a multiple of 1 TB where that is free.
char* map_everywhere() {
  const auto reserve = entry<decltype(&cuMemAddressReserve)>("cuMemAddressReserve");
  const auto create = entry<decltype(&cuMemCreate)>("cuMemCreate");
  const auto map = entry<decltype(&cuMemMap)>("cuMemMap");
  const auto access = entry<decltype(&cuMemSetAccess)>("cuMemSetAccess");
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle memory = 0;
  check(create(&memory, kGranule, &kind, 0), "cuMemCreate");
  CUdeviceptr base = 0;
  check(reserve(&base, kMapped * kGranule, 256 * kGranule, 0, 0), "cuMemAddressReserve");
  for (int i = 0; i < kMapped; ++i) check(map(base + i * kGranule, kGranule, 0, memory, 0), "cuMemMap");
  CUmemAccessDesc all{};
  all.location = kind.location;
  all.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check(access(base, kMapped * kGranule, &all, 1), "cuMemSetAccess");
  std::printf("mapped,first address,%llx\n", static_cast<unsigned long long>(base));
  return reinterpret_cast<char*>(base);
}

// One line of each of N granules from `first` on: different lines of the 32 MB.
double mapped_mean(Memory& m, char* base, int first, int n) {
  std::vector<std::uint64_t> line(kGranule / kLine), at(n);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = i;
  for (int i = 0; i < n; ++i) {
    std::swap(line[i], line[i + m.random() % (line.size() - i)]);
    at[i] = (first + i) * kGranule + line[i] * kLine;
  }
  std::shuffle(at.begin(), at.end(), m.random);
  std::swap(m.base, base);
  const double clocks = total(m, at) / n;
  std::swap(m.base, base);
  return clocks;
}

void mapped(Memory& m) {
  char* base = map_everywhere();
  const auto start = std::chrono::steady_clock::now();
  for (int n = 1024; n <= kMapped - 256; n += n < 1792 ? 128 : n < 2560 ? 16 : 256) {
    for (const int first : {0, 100}) {
      double sum = 0, least = 1e9;
      for (int i = 0; i < 8; ++i) {
        const double one = mapped_mean(m, base, first, n);
        sum += one, least = std::min(least, one);
      }
      std::printf("mapped,%d,%d,%.2f,%.2f\n", first, n, sum / 8, least);
    }
  }
  // The same granules again and again: what changes with time is not of them.
  for (const int first : {0, 100}) {
    for (int i = 0; i < 120; ++i) {
      for (const int n : {2000, 2040, 2072}) {
        const double at = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("watch,%d,%d,%.4f,%.2f\n", first, n, at, mapped_mean(m, base, first, n));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: translation reach|sharing|sets|mapped\n"), 2;
  Memory memory;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  if (std::strcmp(argv[1], "reach") == 0) reach(memory);
  if (std::strcmp(argv[1], "sharing") == 0) sharing(memory, properties.multiProcessorCount);
  if (std::strcmp(argv[1], "sets") == 0) sets(memory);
  if (std::strcmp(argv[1], "mapped") == 0) mapped(memory);
  return 0;
}
