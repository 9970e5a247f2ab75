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

#include "eviction.h"

namespace {

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

template <bool Cg>
class Finder : public GroupTest<Cg> {
 public:
  Finder(const Level& level, std::string folder)
      : GroupTest<Cg>(level), folder_(std::move(folder)) {
    CHECK(cudaFuncSetAttribute(trace<Cg, true>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    CHECK(cudaFuncSetAttribute(trace<Cg, false>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  }

  void find(int number, int sm, std::uint32_t seed) {
    sm_ = sm;
    seed_ = seed;
    const std::uint32_t pool = 1u << level_.pool_bits;
    const std::uint32_t target = scatter(pool + 1 + number, level_.region_bits, seed);
    const std::vector<std::uint32_t> groups = this->minimal(target, number, true);
    if (groups.empty()) {
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
  using GroupTest<Cg>::level_;
  using GroupTest<Cg>::base_;
  using GroupTest<Cg>::clocks_;
  using GroupTest<Cg>::wide_;
  using GroupTest<Cg>::claim_;
  using GroupTest<Cg>::sink_;
  using GroupTest<Cg>::sm_;
  using GroupTest<Cg>::seed_;
  using GroupTest<Cg>::threshold_;

  void confirm(const std::vector<std::uint32_t>& groups, std::uint32_t target, int number) {
    const auto all = this->run_tests(groups, 0, -1, target, 200);
    std::printf("%s %d: set of %zu lines evicts %ld of 200 (median %u clocks); without one:",
                level_.name, number, groups.size(), this->misses(all), median(all));
    for (int g = 0; g < static_cast<int>(groups.size()); ++g)
      std::printf(" %ld", this->evicted(groups, g, target, 50));
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
    const std::vector<std::uint16_t> clocks = this->swept(set);
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

  std::string folder_;
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
