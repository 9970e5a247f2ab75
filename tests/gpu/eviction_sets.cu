// Minimal eviction sets of L1 and L2 by group testing (Vila, Köpf, Morales, IEEE S&P 2019), for
// comparison with what the analyses find. Nothing of gpx is used here.
//
// A target line is loaded, a pool of lines is swept twice by all threads of one block, the target's
// next load is timed. Groups of the pool without which the target is still evicted are dropped until
// single lines are left. Then: which lines of a region does that set evict (the class of its set)?
//
// Usage: eviction_sets l1|l2 FOLDER [TARGETS]
//   prints one line a fact; writes FOLDER/LEVEL_class_N.u16 (clocks of each line of the region after
//   a sweep of set N), FOLDER/LEVEL_set_N.txt (its members) and FOLDER/LEVEL_trace_N_K.csv (random
//   visits of K lines of one set, clocks of each).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "check.h"

namespace {

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
                 : "=&r"(begin), "=r"(v) : "l"(p) : "memory");
  } else {
    asm volatile("mov.u32 %0, %%clock;\n ld.global.ca.u32 %1, [%2];"
                 : "=&r"(begin), "=r"(v) : "l"(p) : "memory");
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

__device__ const char* line_of(const Pool& pool, std::uint32_t i) {
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
      sum += load<Cg>(line_of(pool, __ldcg(pool.begin + group) + (f & ((1 << pool.size_bits) - 1))));
    }
    __syncthreads();
  }
  if (sum == 0x12345) *sink = sum;
  return sum;
}

// The same address, in a way that the assembler cannot tell before `value` is there: it merges and
// hoists loads of one address, over a barrier too.
__device__ const char* behind(const char* at, unsigned value) {
  return at + (value == 0x12345 ? 4 : 0);
}

// One test: clocks of the target's load after the sweep; thread 0 has them. A line of an H100's L1 that
// was hit is not replaced as long as others were not: each test begins with an empty L1, which a fence
// of the whole GPU leaves behind.
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

// Only one block, on that SM, goes on.
__device__ bool chosen(int sm, unsigned* claim) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  const bool mine = threadIdx.x == 0 && static_cast<int>(here) == sm && atomicAdd(claim, 1u) == 0;
  return __syncthreads_or(mine) != 0;  // no shared memory: L1 has it all
}

// Drops groups, one after the other, without which the target is evicted in most of `votes` tests.
template <bool Cg>
__global__ void __launch_bounds__(kThreads) reduce(Pool pool, std::uint32_t target, int threshold,
                                                    int votes, int sm, unsigned* claim,
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
__global__ void __launch_bounds__(kThreads) repeat(Pool pool, int skip, std::uint32_t target,
                                                   int tests, unsigned* clocks, int sm,
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

constexpr int kVisits = 6000;

// One thread visits lines in a given order; clocks of each visit. A store goes through L1 and takes room
// there: unless `Stored`, what was measured waits in shared memory for the end.
template <bool Cg, bool Stored>
__global__ void trace(const char* base, const std::uint32_t* lines, int visits, unsigned* clocks,
                      int sm, unsigned* claim) {
  __shared__ std::uint16_t kept[Stored ? 1 : kVisits];
  if (!chosen(sm, claim)) return;
  if (threadIdx.x != 0) return;
  for (int i = 0; i < visits; ++i) {
    const char* at = base + std::uint64_t{__ldcg(lines + i)} * kLine;
    const unsigned took = timed<Cg>(at);
    if (Stored)
      clocks[i] = took;
    else
      kept[i] = static_cast<std::uint16_t>(min(took, 65535u));
  }
  if (!Stored)
    for (int i = 0; i < visits; ++i) clocks[i] = kept[i];
}

// Hits of lines from each SM: median of 9 loads after a first one.
__global__ void distances(const char* base, const std::uint32_t* lines, int count,
                          std::uint16_t* first, std::uint16_t* clocks, int sm, unsigned* claim) {
  if (!chosen(sm, claim)) return;
  if (threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) {
    const char* at = base + std::uint64_t{__ldcg(lines + i)} * kLine;
    unsigned best = 1u << 30;
    timed<true>(base + std::uint64_t{__ldcg(lines + i) ^ kWarm} * kLine);
    first[i] = static_cast<std::uint16_t>(min(timed<true>(at), 65535u));
    for (int k = 0; k < 9; ++k) best = min(best, timed<true>(behind(at, best)));
    clocks[i] = static_cast<std::uint16_t>(min(best, 65535u));
  }
}

__global__ void empty_of_others(const char* junk, std::uint64_t lines, unsigned* sink) {
  unsigned sum = 0;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < lines;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    sum += load<true>(junk + i * kLine);
  if (sum == 0x12345) *sink = sum;
}

template <typename T>
T* device(std::size_t count) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

// The share of visits to `ways` lines of a set that LRU, and SLRU with two protected lines, say rightly.
struct Fits {
  double lru, slru;
};
Fits fits(const std::vector<std::uint32_t>& visits, const std::vector<unsigned>& clocks,
          std::size_t ways, int threshold) {
  std::vector<std::uint32_t> order, kept, others;
  const auto take = [](std::vector<std::uint32_t>& from, std::uint32_t x) {
    const auto found = std::find(from.begin(), from.end(), x);
    if (found == from.end()) return false;
    from.erase(found);
    return true;
  };
  int lru = 0, slru = 0;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const std::uint32_t x = visits[i];
    const bool hit = static_cast<int>(clocks[i]) <= threshold;
    lru += take(order, x) == hit;
    order.insert(order.begin(), x);
    if (order.size() > ways) order.pop_back();
    if (take(kept, x)) {
      kept.insert(kept.begin(), x);
      slru += hit;
      continue;
    }
    const bool known = take(others, x);
    slru += known == hit;
    (known ? kept : others).insert((known ? kept : others).begin(), x);
    if (kept.size() > 2) {
      others.insert(others.begin(), kept.back());
      kept.pop_back();
    }
    if (kept.size() + others.size() > ways) others.pop_back();
  }
  return {100.0 * lru / visits.size(), 100.0 * slru / visits.size()};
}

unsigned median(std::vector<unsigned> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

template <bool Cg>
class Finder {
 public:
  Finder(const Level& level, std::string folder) : level_(level), folder_(std::move(folder)) {
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
    CHECK(cudaFuncSetAttribute(trace<Cg, true>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    CHECK(cudaFuncSetAttribute(trace<Cg, false>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  }

  void find(int number, int sm, std::uint32_t seed) {
    sm_ = sm;
    seed_ = seed;
    const std::uint32_t pool = 1u << level_.pool_bits;
    const std::uint32_t target = scatter(pool + 1 + number, level_.region_bits, seed);
    std::vector<std::uint32_t> groups;
    int size_bits = level_.pool_bits - 6;
    for (std::uint32_t g = 0; g < 64; ++g) groups.push_back(g << size_bits);

    const auto with_none = run_tests({}, 0, -1, target, 64);
    const auto with_all = run_tests(groups, size_bits, -1, target, 16);
    const unsigned hit = median(with_none), miss = median(with_all);
    std::printf("%s %d sm %d target %u: hit %u, after the pool %u (least %u)\n", level_.name, number,
                sm, target, hit, miss, *std::min_element(with_all.begin(), with_all.end()));
    threshold_ = static_cast<int>(hit) + level_.margin;
    if (static_cast<int>(*std::min_element(with_all.begin(), with_all.end())) <= threshold_) {
      std::printf("%s %d: the pool does not evict the target\n", level_.name, number);
    }
    int rounds = 0;
    for (;; ++rounds) {
      const std::size_t before = groups.size();
      groups = reduced(groups, size_bits, target, size_bits > 6 ? 3 : 5);
      std::printf("%s %d: round %d, %zu -> %zu groups of %d\n", level_.name, number, rounds, before,
                  groups.size(), 1 << size_bits);
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
    if (size_bits != 0 || groups.empty()) {
      std::printf("%s %d: no minimal set\n", level_.name, number);
      return;
    }
    confirm(groups, target, number);
    sets_.push_back({});
    for (const std::uint32_t g : groups)
      sets_.back().push_back(scatter(g, level_.region_bits, seed_));
    class_of(number, target);
  }

  // Visits again, what was measured in shared memory: at the end, as what a kernel has of it may stay so
  // for the next one.
  void visit_quietly() {
    for (const Class& each : classes_) {
      threshold_ = each.threshold;
      const std::size_t counts[] = {each.ways, each.ways + 1, each.ways + 2, each.ways + 4, 2 * each.ways};
      for (const std::size_t k : counts)
        if (each.lines.size() > k) visit<false>(each.number, each.lines, k, each.ways);
    }
  }

  void maps(int sms) {
    std::mt19937 random(7);
    const int count = 256;
    std::vector<std::uint32_t> lines(count);
    for (auto& line : lines) line = random() & ((1u << level_.region_bits) - 1);
    std::uint32_t* at = device<std::uint32_t>(count);
    CHECK(cudaMemcpy(at, lines.data(), count * 4, cudaMemcpyHostToDevice));
    char* junk = device<char>(192u << 20);
    std::FILE* out = std::fopen((folder_ + "/l2_map.csv").c_str(), "w");
    std::fprintf(out, "sm,line,first,again\n");
    std::vector<std::uint16_t> first(count), again(count);
    for (int sm = 0; sm < sms; ++sm) {
      if (sm % 16 == 0) empty_of_others<<<264, 1024>>>(junk, (192u << 20) / kLine, sink_);
      CHECK(cudaMemset(claim_, 0, 4));
      distances<<<sms * 4, 32>>>(base_, at, count, wide_, wide_ + count, sm, claim_);
      CHECK(cudaMemcpy(first.data(), wide_, count * 2, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(again.data(), wide_ + count, count * 2, cudaMemcpyDeviceToHost));
      for (int i = 0; i < count; ++i)
        std::fprintf(out, "%d,%u,%u,%u\n", sm, lines[i], first[i], again[i]);
    }
    std::fclose(out);
    CHECK(cudaFree(junk));
  }

 private:
  Pool pool(const std::vector<std::uint32_t>& groups, int size_bits, bool scattered = true) {
    if (!groups.empty())
      CHECK(cudaMemcpy(begin_, groups.data(), groups.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dropped_, 0, groups.size() + 1));
    CHECK(cudaMemset(claim_, 0, 4));
    return {base_,     begin_,  dropped_, static_cast<int>(groups.size()), size_bits, level_.region_bits,
            seed_, scattered};
  }
  // Enough blocks that one comes to the SM; the others leave.
  static constexpr int kBlocks = 132 * 2;

  std::vector<unsigned> run_tests(const std::vector<std::uint32_t>& groups, int size_bits, int skip,
                                  std::uint32_t target, int tests) {
    repeat<Cg><<<kBlocks, kThreads>>>(pool(groups, size_bits), skip, target, tests, clocks_, sm_,
                                      claim_, sink_);
    std::vector<unsigned> clocks(tests);
    CHECK(cudaMemcpy(clocks.data(), clocks_, tests * 4, cudaMemcpyDeviceToHost));
    return clocks;
  }

  std::vector<std::uint32_t> reduced(const std::vector<std::uint32_t>& groups, int size_bits,
                                     std::uint32_t target, int votes) {
    reduce<Cg><<<kBlocks, kThreads>>>(pool(groups, size_bits), target, threshold_, votes, sm_,
                                      claim_, sink_);
    std::vector<std::uint8_t> dropped(groups.size());
    CHECK(cudaMemcpy(dropped.data(), dropped_, groups.size(), cudaMemcpyDeviceToHost));
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (!dropped[i]) left.push_back(groups[i]);
    return left;
  }

  void confirm(const std::vector<std::uint32_t>& groups, std::uint32_t target, int number) {
    const auto count = [&](const std::vector<unsigned>& clocks) {
      return std::count_if(clocks.begin(), clocks.end(),
                           [&](unsigned c) { return static_cast<int>(c) > threshold_; });
    };
    const auto all = run_tests(groups, 0, -1, target, 200);
    std::printf("%s %d: set of %zu lines evicts %td of 200 (median %u clocks); without one:",
                level_.name, number, groups.size(), count(all), median(all));
    for (int g = 0; g < static_cast<int>(groups.size()); ++g)
      std::printf(" %td", count(run_tests(groups, 0, g, target, 50)));
    std::printf(" of 50\n");
    std::FILE* out =
        std::fopen((folder_ + "/" + level_.name + "_set_" + std::to_string(number) + ".txt").c_str(), "w");
    std::fprintf(out, "%u\n", target);
    for (const std::uint32_t g : groups)
      std::fprintf(out, "%u\n", scatter(g, level_.region_bits, seed_));
    std::fclose(out);
  }

  void class_of(int number, std::uint32_t target) {
    const std::vector<std::uint32_t>& set = sets_.back();
    const std::uint32_t lines = 1u << level_.region_bits;
    std::vector<std::uint16_t> clocks(lines);
    const std::uint32_t batch = 1u << 15;
    for (std::uint32_t first = 0; first < lines; first += batch) {
      members<Cg><<<132 * 8, 64>>>(pool(set, 0, false), first, static_cast<int>(batch), wide_, sm_,
                                   claim_, sink_);
      CHECK(cudaMemcpy(clocks.data() + first, wide_, batch * 2, cudaMemcpyDeviceToHost));
    }
    std::vector<std::uint32_t> in;
    for (std::uint32_t i = 0; i < lines; ++i)
      if (clocks[i] > threshold_) in.push_back(i);
    std::printf("%s %d: evicts %zu of %u lines of the region: 1 of %.2f\n", level_.name, number,
                in.size(), lines, in.empty() ? 0.0 : static_cast<double>(lines) / in.size());
    const std::string stem = folder_ + "/" + level_.name;
    std::FILE* out = std::fopen((stem + "_class_" + std::to_string(number) + ".u16").c_str(), "wb");
    std::fwrite(clocks.data(), 2, lines, out);
    std::fclose(out);
    const std::size_t ways = set.size();
    for (const std::size_t k : {ways, ways + 1, ways + 2, ways + 4, 2 * ways})
      if (in.size() > k) visit<true>(number, in, k, ways);
    classes_.push_back({number, in, ways, threshold_});
    (void)target;
  }

  // Random visits of k lines of a set.
  template <bool Stored>
  void visit(int number, const std::vector<std::uint32_t>& in, std::size_t k, std::size_t ways) {
    std::mt19937 random(static_cast<unsigned>(k));
    std::vector<std::uint32_t> some(in);
    std::shuffle(some.begin(), some.end(), random);
    some.resize(k);
    const int visits = kVisits;
    std::vector<std::uint32_t> order(visits), at(visits);
    for (int i = 0; i < visits; ++i) {
      at[i] = random() % k;
      order[i] = some[at[i]];
    }
    std::uint32_t* lines = device<std::uint32_t>(visits);
    CHECK(cudaMemcpy(lines, order.data(), visits * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(claim_, 0, 4));
    trace<Cg, Stored><<<132 * 8, 32>>>(base_, lines, visits, clocks_, sm_, claim_);
    std::vector<unsigned> clocks(visits);
    CHECK(cudaMemcpy(clocks.data(), clocks_, visits * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(lines));
    std::FILE* out = std::fopen((folder_ + "/" + level_.name + "_trace_" + std::to_string(number) +
                                 "_" + std::to_string(k) + ".csv").c_str(), "w");
    for (int i = 0; i < visits; ++i) std::fprintf(out, "%u,%u\n", at[i], clocks[i]);
    std::fclose(out);
    const Fits fit = fits(at, clocks, ways, threshold_);
    std::printf("%s %d: %zu lines visited at random, clocks %s: %td of %d above the threshold; LRU %.2f %%, "
                "SLRU-2 %.2f %%\n", level_.name, number, k, Stored ? "stored" : "in shared memory",
                std::count_if(clocks.begin(), clocks.end(), [&](unsigned c) {
                  return static_cast<int>(c) > threshold_;
                }), visits, fit.lru, fit.slru);
  }

  Level level_;
  std::string folder_;
  char* base_;
  std::uint32_t* begin_;
  std::uint8_t* dropped_;
  unsigned* clocks_;
  std::uint16_t* wide_;
  unsigned *claim_, *sink_;
  int sm_ = 0, threshold_ = 0;
  std::uint32_t seed_ = 1;
  std::vector<std::vector<std::uint32_t>> sets_;
  struct Class {
    int number;
    std::vector<std::uint32_t> lines;
    std::size_t ways;
    int threshold;
  };
  std::vector<Class> classes_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: eviction_sets l1|l2 FOLDER [TARGETS]\n"), 2;
  const bool l1 = std::strcmp(argv[1], "l1") == 0;
  const int targets = argc > 3 ? std::atoi(argv[3]) : 3;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d SMs, L2 %d bytes\n", properties.name, properties.multiProcessorCount,
              properties.l2CacheSize);
  if (l1) {
    Finder<false> finder(kL1, argv[2]);
    for (int i = 0; i < targets; ++i) finder.find(i, i * 7, 17u + 101u * i);
    finder.visit_quietly();
  } else {
    Finder<true> finder(kL2, argv[2]);
    finder.maps(properties.multiProcessorCount);
    for (int i = 0; i < targets; ++i) finder.find(i, i % 2 == 0 ? 0 : 7, 17u + 101u * i);
    finder.visit_quietly();
  }
  return 0;
}
