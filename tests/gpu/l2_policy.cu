// The replacement policies of L1 and L2, by hand: which share of random visits to the lines of one
// set each of six models says. Nothing of gpx is used here.
//
// Group testing (eviction.h) finds a minimal set of lines that evicts a target: its size is the
// number of ways. All lines of a region that this set evicts are of the same set of the cache. One
// thread visits some of them and takes the time of each load: first a homing sequence (every line
// of the class twice in a row, three rounds; of L1 an invalidation before it), then 4000 random
// visits of k lines, k from one to `ways` more than there are ways. A load that takes longer than a
// hit by the level's margin is a miss. Of L1, what was measured goes to memory by reductions and
// the order comes from L2, so that only the visits are in L1.
//
// Output, CSV: level,set,lines,what,value. what = clocks of a hit; ways; evicts of 200 and without
// one of 50 (the most); class; misses (percent of the random visits); majority (percent: what `all
// hit' or `all miss' says); NAME and NAME least: percent that the model of that name says, from the
// best and from the worst of the states that the set may have been in before.
// Status 1: no set of a level was found. Usage: l2_policy [SETS]      (default 3)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "eviction.h"
#include "policies.h"

namespace {

constexpr int kRandom = 4000, kMostVisits = 8000;

// One thread visits lines in an order; whether each visit took longer than `threshold`. Quiet: no
// shared memory, no stores; else all that the loop needs is in shared memory.
template <bool Cg>
__global__ void visits(const char* base, const std::uint32_t* lines, int count, int threshold,
                       unsigned* slow, int sm, unsigned* claim) {
  __shared__ std::uint32_t order[Cg ? kMostVisits : 1];
  __shared__ std::uint8_t kept[Cg ? kMostVisits : 1];
  if (!chosen(sm, claim)) return;
  if (threadIdx.x != 0) return;
  if (Cg)
    for (int i = 0; i < count; ++i) order[i] = __ldcg(lines + i);
  if (!Cg) __threadfence();
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const std::uint32_t line = Cg ? order[i] : __ldcg(lines + i);
    const char* at = base + std::uint64_t{line} * kLine;
    const unsigned took = timed<Cg>(at);
    const unsigned missed = static_cast<int>(took) > threshold ? 1 : 0;
    if (Cg) {
      kept[i] = static_cast<std::uint8_t>(missed);
    } else {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(slow + i), "r"(missed) : "memory");
    }
  }
  if (Cg)
    for (int i = 0; i < count; ++i) slow[i] = kept[i];
}

template <bool Cg>
class Judge : public GroupTest<Cg> {
 public:
  explicit Judge(const Level& level) : GroupTest<Cg>(level) {
    lines_ = device<std::uint32_t>(kMostVisits);
    CHECK(cudaFuncSetAttribute(visits<Cg>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  }

  // Whether a minimal set was found and judged.
  bool set(int number, int sm) {
    this->sm_ = sm;
    for (int attempt = 0; attempt < 4; ++attempt) {
      this->seed_ = 17u + 101u * number + 1009u * attempt;
      const int bits = this->level_.region_bits;
      const std::uint32_t target =
          scatter((1u << this->level_.pool_bits) + 1 + number, bits, this->seed_);
      const auto groups = this->minimal(target, number, false);
      if (groups.empty() || groups.size() > 64) continue;
      const int ways = static_cast<int>(groups.size());
      long without = 0;
      for (int skip = 0; skip < ways; ++skip)
        without = std::max(without, this->evicted(groups, skip, target, 50));
      const long with = this->evicted(groups, -1, target, 200);
      if (with < 190 || without > 5) continue;
      std::vector<std::uint32_t> found, all;
      for (const std::uint32_t g : groups) found.push_back(scatter(g, bits, this->seed_));
      const auto clocks = this->swept(found);
      for (std::uint32_t i = 0; i < clocks.size(); ++i)
        if (clocks[i] > this->threshold_) all.push_back(i);
      // No class is much larger than the share of a set: then something else evicted.
      if (static_cast<int>(all.size()) < 2 * ways || all.size() > 2000) continue;
      print(number, "", "clocks of a hit", this->threshold_ - this->level_.margin);
      print(number, "", "ways", ways);
      print(number, "", "evicts of 200", static_cast<double>(with));
      print(number, "", "without one of 50", static_cast<double>(without));
      print(number, "", "class", static_cast<double>(all.size() + groups.size()));
      for (const int more : {1, 2, 4}) judge(number, all, ways, ways + more);
      if (ways > 4) judge(number, all, ways, 2 * ways);
      return true;
    }
    std::fprintf(stderr, "l2_policy: no minimal set %d of %s\n", number, this->level_.name);
    return false;
  }

 private:
  void print(int number, const std::string& lines, const std::string& what, double value) const {
    std::printf("%s,%d,%s,%s,%.4g\n", this->level_.name, number, lines.c_str(), what.c_str(),
                value);
  }

  void judge(int number, std::vector<std::uint32_t> of_class, int ways, int k) {
    if (static_cast<int>(of_class.size()) < k) return;
    std::mt19937 random(1000 * number + k);
    std::shuffle(of_class.begin(), of_class.end(), random);
    const int known = std::min<int>(static_cast<int>(of_class.size()), 3 * ways);
    std::vector<int> order = homing_visits(known, 3);
    const std::size_t homing = order.size();
    for (int i = 0; i < kRandom; ++i) order.push_back(static_cast<int>(random() % k));
    std::vector<std::uint32_t> lines;
    for (const int line : order) lines.push_back(of_class[line]);
    to_device(lines_, lines);
    const int count = static_cast<int>(order.size());
    CHECK(cudaMemset(this->clocks_, 0, count * 4));
    CHECK(cudaMemset(this->claim_, 0, 4));
    visits<Cg><<<132 * 8, 32>>>(this->base_, lines_, count, this->threshold_, this->clocks_,
                                this->sm_, this->claim_);
    CHECK(cudaGetLastError());
    std::vector<bool> hits;
    int missed = 0;
    for (const unsigned slow : host_copy(this->clocks_, order.size())) {
      hits.push_back(slow == 0);
      missed += hits.size() > homing && slow != 0;
    }
    const double misses = 100.0 * missed / kRandom;
    const std::string of = std::to_string(k);
    print(number, of, "misses", misses);
    print(number, of, "majority", std::max(misses, 100 - misses));
    for (const PolicyRow& row : policies()) {
      if (!row.make(ways)) continue;
      const Shares shares = said(row, ways, order, hits, homing, !Cg);
      print(number, of, row.name, shares.most);
      print(number, of, row.name + std::string(" least"), shares.least);
    }
  }

  std::uint32_t* lines_;
};

}  // namespace

int main(int argc, char** argv) {
  const int sets = argc > 1 ? std::atoi(argv[1]) : 3;
  if (sets < 1 || sets > 20) return std::fprintf(stderr, "usage: l2_policy [SETS]\n"), 2;
  std::printf("level,set,lines,what,value\n");
  int l1 = 0, l2 = 0;
  {
    Judge<false> judge(kL1);
    for (int i = 0; i < sets; ++i) l1 += judge.set(i, 7 * i);
  }
  {
    Judge<true> judge(kL2);
    for (int i = 0; i < sets; ++i) l2 += judge.set(i, i % 2 == 0 ? 0 : 7);
  }
  CHECK(cudaDeviceSynchronize());
  return l1 > 0 && l2 > 0 ? 0 : 1;
}
