// Eviction sets by group testing (Vila, Köpf, Morales, IEEE S&P 2019): what the hand-written
// programs eviction_sets and l2_policy have in common. Nothing of gpx is used here.
//
// A target line is loaded, a pool of lines is swept twice by all threads of one block, the target's
// next load is timed. Groups of the pool without which the target is still evicted are dropped
// until single lines are left.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "measure.h"

constexpr std::uint64_t kLine = 128;     // bytes
constexpr std::uint32_t kWarm = 1 << 9;  // lines: 64 KB from the target, the same page of 2 MB
constexpr int kThreads = 1024;

struct Level {
  const char* name;
  bool cg;
  int region_bits;  // lines
  int pool_bits;    // lines
  int margin;       // clocks above a hit that count as a miss
};
constexpr Level kL1 = {"l1", false, 15, 13, 60};
constexpr Level kL2 = {"l2", true, 20, 19, 110};

template <bool Cg>
__device__ unsigned load(const char* p) {
  unsigned v;
  if (Cg) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  } else {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  }
  return v;
}

// The second clock is not read before the value is there: the branch to the trap waits for it. (A
// predicate on the second clock is not enough: the assembler may read the clock early and select.)
template <bool Cg>
__device__ unsigned timed(const char* p) {
  unsigned begin, end, v;
  if (Cg) {
    asm volatile("mov.u32 %0, %%clock;\n ld.global.cg.u32 %1, [%2];"
                 : "=&r"(begin), "=r"(v)
                 : "l"(p)
                 : "memory");
  } else {
    asm volatile("mov.u32 %0, %%clock;\n ld.global.ca.u32 %1, [%2];"
                 : "=&r"(begin), "=r"(v)
                 : "l"(p)
                 : "memory");
  }
  if (v == 12345) asm volatile("trap;");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  return end - begin;
}

__device__ __host__ inline std::uint32_t scatter(std::uint32_t i, int bits, std::uint32_t seed) {
  const std::uint32_t mask = (1u << bits) - 1;
  std::uint32_t x = i & mask;
  for (int round = 0; round < 3; ++round) {
    x = (x * (2 * (seed >> round) + 0x9e3779b1u) + seed) & mask;
    x ^= x >> (bits / 2 + 1);
  }
  return x;
}

struct Pool {
  const char* base;
  const std::uint32_t* begin;  // of each group: an index that scatter() makes a line of
  std::uint8_t* dropped;       // of each group
  int groups, size_bits, region_bits;
  std::uint32_t seed;
  bool scattered;  // else `begin` are lines
};

inline __device__ const char* line_of(const Pool& pool, std::uint32_t i) {
  const std::uint32_t line = pool.scattered ? scatter(i, pool.region_bits, pool.seed) : i;
  return pool.base + std::uint64_t{line} * kLine;
}

// Of the words read, by this thread: it is never 0x12345.
template <bool Cg>
__device__ unsigned sweep(const Pool& pool, int skip, unsigned* sink) {
  unsigned sum = 0;
  const int total = pool.groups << pool.size_bits;
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 4
    for (int f = threadIdx.x; f < total; f += blockDim.x) {
      const int group = f >> pool.size_bits;
      if (group == skip || __ldcg(pool.dropped + group) != 0) continue;
      sum +=
          load<Cg>(line_of(pool, __ldcg(pool.begin + group) + (f & ((1 << pool.size_bits) - 1))));
    }
    __syncthreads();
  }
  if (sum == 0x12345) *sink = sum;
  return sum;
}

// The same address, in a way that the assembler cannot tell before `value` is there: it merges and
// hoists loads of one address, over a barrier too.
inline __device__ const char* behind(const char* at, unsigned value) {
  return at + (value == 0x12345 ? 4 : 0);
}

// One test: clocks of the target's load after the sweep; thread 0 has them. A line of an H100's L1
// that was hit is not replaced as long as others were not: each test begins with an empty L1, which
// a fence of the whole GPU leaves behind.
template <bool Cg>
__device__ unsigned test(const Pool& pool, int skip, std::uint32_t target, unsigned* sink) {
  const char* at = pool.base + std::uint64_t{target} * kLine;
  const char* warm = pool.base + std::uint64_t{target ^ kWarm} * kLine;
  if (!Cg) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned v = load<Cg>(at);
    if (v == 0x12345) *sink = v;
  }
  __syncthreads();
  const unsigned swept = sweep<Cg>(pool, skip, sink);
  unsigned clocks = 0;
  if (threadIdx.x == 0) {
    const unsigned warmed = timed<Cg>(behind(warm, swept));
    clocks = timed<Cg>(behind(at, warmed));
  }
  __syncthreads();
  return clocks;
}

// Drops groups, one after the other, without which the target is evicted in most of `votes` tests.
template <bool Cg>
__global__ void __launch_bounds__(kThreads)
    reduce(Pool pool, std::uint32_t target, int threshold, int votes, int sm, unsigned* claim,
           unsigned* sink) {
  if (!chosen(sm, claim)) return;
  for (int group = 0; group < pool.groups; ++group) {
    int evicted = 0;
    for (int vote = 0; vote < votes; ++vote)
      evicted += static_cast<int>(test<Cg>(pool, group, target, sink)) > threshold;
    if (threadIdx.x == 0 && evicted == votes) pool.dropped[group] = 1;
    __syncthreads();
  }
}

// Clocks of `tests` tests, all without group `skip` (-1: with all).
template <bool Cg>
__global__ void __launch_bounds__(kThreads)
    repeat(Pool pool, int skip, std::uint32_t target, int tests, unsigned* clocks, int sm,
           unsigned* claim, unsigned* sink) {
  if (!chosen(sm, claim)) return;
  for (int i = 0; i < tests; ++i) {
    const unsigned c = test<Cg>(pool, skip, target, sink);
    if (threadIdx.x == 0) clocks[i] = c;
  }
}

// Each line [first, first + count): loaded, the set swept, timed.
template <bool Cg>
__global__ void members(Pool pool, std::uint32_t first, int count, std::uint16_t* clocks, int sm,
                        unsigned* claim, unsigned* sink) {
  if (!chosen(sm, claim)) return;
  for (int i = 0; i < count; ++i) {
    const unsigned c = test<Cg>(pool, -1, first + i, sink);
    if (threadIdx.x == 0) clocks[i] = static_cast<std::uint16_t>(min(c, 65535u));
  }
}

// Tests of one SM, and what they leave of a pool.
template <bool Cg>
class GroupTest {
 public:
  explicit GroupTest(const Level& level) : level_(level) {
    base_ = device<char>(kLine << level.region_bits);
    begin_ = device<std::uint32_t>(1 << 15);
    dropped_ = device<std::uint8_t>(1 << 15);
    clocks_ = device<unsigned>(1 << 17);
    wide_ = device<std::uint16_t>(1 << 20);
    claim_ = device<unsigned>(1);
    sink_ = device<unsigned>(1);
    CHECK(cudaFuncSetAttribute(reduce<Cg>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    CHECK(cudaFuncSetAttribute(repeat<Cg>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    CHECK(cudaFuncSetAttribute(members<Cg>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  }

  // Groups of one line that together evict the target, none of which can be spared; none where that
  // does not come out. Begins with 64 groups. `report`: a line for each round.
  std::vector<std::uint32_t> minimal(std::uint32_t target, int number, bool report) {
    std::vector<std::uint32_t> groups;
    int size_bits = level_.pool_bits - 6;
    for (std::uint32_t g = 0; g < 64; ++g) groups.push_back(g << size_bits);

    const auto with_none = run_tests({}, 0, -1, target, 64);
    const auto with_all = run_tests(groups, size_bits, -1, target, 16);
    const unsigned hit = median(with_none), miss = median(with_all);
    const unsigned least = *std::min_element(with_all.begin(), with_all.end());
    if (report)
      std::printf("%s %d sm %d target %u: hit %u, after the pool %u (least %u)\n", level_.name,
                  number, sm_, target, hit, miss, least);
    threshold_ = static_cast<int>(hit) + level_.margin;
    if (static_cast<int>(least) <= threshold_ && report)
      std::printf("%s %d: the pool does not evict the target\n", level_.name, number);
    for (int rounds = 0;; ++rounds) {
      const std::size_t before = groups.size();
      groups = reduced(groups, size_bits, target, size_bits > 6 ? 3 : 5);
      if (report)
        std::printf("%s %d: round %d, %zu -> %zu groups of %d\n", level_.name, number, rounds,
                    before, groups.size(), 1 << size_bits);
      if (groups.empty() || rounds > 60 || groups.size() > 3000) break;
      if (size_bits == 0 && groups.size() == before) break;
      if (size_bits == 0) continue;
      --size_bits;
      const std::vector<std::uint32_t> whole = groups;
      groups.clear();
      for (const std::uint32_t g : whole) {
        groups.push_back(g);
        groups.push_back(g + (1u << size_bits));
      }
    }
    if (size_bits != 0) groups.clear();
    return groups;
  }

  // Of so many tests with the groups but one (-1: with all), how many evict the target.
  long evicted(const std::vector<std::uint32_t>& groups, int skip, std::uint32_t target,
               int tests) {
    return misses(run_tests(groups, 0, skip, target, tests));
  }

  // Clocks of each line of the region after a sweep of these lines.
  std::vector<std::uint16_t> swept(const std::vector<std::uint32_t>& set) {
    const std::uint32_t lines = 1u << level_.region_bits, batch = 1u << 15;
    std::vector<std::uint16_t> clocks(lines);
    for (std::uint32_t first = 0; first < lines; first += batch) {
      members<Cg><<<132 * 8, 64>>>(pool(set, 0, false), first, static_cast<int>(batch), wide_, sm_,
                                   claim_, sink_);
      CHECK(cudaMemcpy(clocks.data() + first, wide_, batch * 2, cudaMemcpyDeviceToHost));
    }
    return clocks;
  }

  std::vector<unsigned> run_tests(const std::vector<std::uint32_t>& groups, int size_bits, int skip,
                                  std::uint32_t target, int tests) {
    repeat<Cg><<<kBlocks, kThreads>>>(pool(groups, size_bits), skip, target, tests, clocks_, sm_,
                                      claim_, sink_);
    return host_copy(clocks_, tests);
  }

  long misses(const std::vector<unsigned>& clocks) const {
    return std::count_if(clocks.begin(), clocks.end(),
                         [&](unsigned c) { return static_cast<int>(c) > threshold_; });
  }

 protected:
  Pool pool(const std::vector<std::uint32_t>& groups, int size_bits, bool scattered = true) {
    if (!groups.empty())
      CHECK(cudaMemcpy(begin_, groups.data(), groups.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dropped_, 0, groups.size() + 1));
    CHECK(cudaMemset(claim_, 0, 4));
    return {
        base_, begin_,   dropped_, static_cast<int>(groups.size()), size_bits, level_.region_bits,
        seed_, scattered};
  }
  // Enough blocks that one comes to the SM; the others leave.
  static constexpr int kBlocks = 132 * 2;

  std::vector<std::uint32_t> reduced(const std::vector<std::uint32_t>& groups, int size_bits,
                                     std::uint32_t target, int votes) {
    reduce<Cg><<<kBlocks, kThreads>>>(pool(groups, size_bits), target, threshold_, votes, sm_,
                                      claim_, sink_);
    const auto dropped = host_copy(dropped_, groups.size());
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (!dropped[i]) left.push_back(groups[i]);
    return left;
  }

  Level level_;
  char* base_;
  std::uint32_t* begin_;
  std::uint8_t* dropped_;
  unsigned* clocks_;
  std::uint16_t* wide_;
  unsigned *claim_, *sink_;
  int sm_ = 0, threshold_ = 0;
  std::uint32_t seed_ = 1;
};
