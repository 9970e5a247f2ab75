// A small model of memories with caches and translation buffers, independent of the virtual GPU,
// with which the cache inference is tested: structures whose parameters are known, asked through
// the same interface as a device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/prober.h"

namespace gpx::testing {

enum class ModelPolicy { lru, fifo, plru, random, weighted };

struct ModelCache {
  std::uint64_t line = 32, sector = 0;  ///< sector 0: whole lines.
  std::vector<std::uint32_t> ways;      ///< Of each set.
  std::function<std::uint64_t(std::uint64_t line)> set_of;
  ModelPolicy policy = ModelPolicy::lru;
  std::vector<double> share;  ///< weighted: by way.

  std::uint64_t capacity() const {
    std::uint64_t lines = 0;
    for (const std::uint32_t w : ways) lines += w;
    return lines * line;
  }
};

/// The first levels are asked one after another; latency[i] is of level i, the last of memory.
struct ModelMemory {
  std::vector<ModelCache> levels;
  std::vector<double> latency;
  int jitter = 3;       ///< 0 to jitter clocks more, uniformly.
  double outliers = 0;  ///< Share of accesses that take `late` clocks more.
  double late = 400;
  bool cold = true;      ///< Caches are empty when a request begins; else as the last left them.
  double overhead = 12;  ///< Clocks to observe one access.
  std::uint64_t bytes = 1ull << 40;
};

/// One cache at work.
class ModelLevel {
 public:
  ModelLevel(const ModelCache& cache, std::mt19937_64& random)
      : cache_(cache), random_(random), sets_(cache.ways.size()) {
    for (std::size_t s = 0; s < sets_.size(); ++s) sets_[s].resize(cache.ways[s]);
  }

  bool access(std::uint64_t address) {
    const std::uint64_t line = address / cache_.line;
    const std::uint64_t bit =
        cache_.sector ? 1ull << (address % cache_.line / cache_.sector) : 1ull;
    auto& set = sets_[cache_.set_of(line)];
    ++clock_;
    for (std::size_t w = 0; w < set.size(); ++w) {
      if (!set[w].valid || set[w].line != line) continue;
      const bool hit = (set[w].sectors & bit) != 0;
      set[w].sectors |= bit;
      use(set, w);
      return hit;
    }
    const std::size_t w = victim(set);
    set[w] = {true, line, bit, clock_, clock_, set[w].away};
    use(set, w);
    return false;
  }

 private:
  struct Way {
    bool valid = false;
    std::uint64_t line = 0, sectors = 0, used = 0, came = 0;
    std::vector<bool> away = {};  ///< plru: of way 0 of a set, the tree's bits by node.
  };

  std::size_t victim(const std::vector<Way>& set) {
    for (std::size_t w = 0; w < set.size(); ++w)
      if (!set[w].valid) return w;
    std::size_t best = 0;
    switch (cache_.policy) {
      case ModelPolicy::lru:
        for (std::size_t w = 1; w < set.size(); ++w)
          if (set[w].used < set[best].used) best = w;
        return best;
      case ModelPolicy::fifo:
        for (std::size_t w = 1; w < set.size(); ++w)
          if (set[w].came < set[best].came) best = w;
        return best;
      case ModelPolicy::plru: {
        std::size_t node = 1;
        while (node < set.size()) node = 2 * node + (set[0].away[node] ? 1 : 0);
        return node - set.size();
      }
      case ModelPolicy::random: return random_() % set.size();
      case ModelPolicy::weighted:
        return std::discrete_distribution<std::size_t>(cache_.share.begin(),
                                                       cache_.share.end())(random_);
    }
    return 0;
  }

  // The bits on the way to w point away from it.
  void use(std::vector<Way>& set, std::size_t w) {
    set[w].used = clock_;
    if (cache_.policy != ModelPolicy::plru) return;
    set[0].away.resize(set.size());
    for (std::size_t node = w + set.size(); node > 1; node /= 2)
      set[0].away[node / 2] = node % 2 == 0;
  }

  const ModelCache& cache_;
  std::mt19937_64& random_;
  std::vector<std::vector<Way>> sets_;
  std::uint64_t clock_ = 0;
};

class ModelProber : public Prober {
 public:
  ModelProber(ModelMemory memory, std::uint64_t seed) : memory_(std::move(memory)), random_(seed) {}

  Result<std::vector<double>> ask(const ProbeRequest& request) override {
    const auto* asked = dynamic_cast<const ChaseRequest*>(&request);
    return asked ? chase(*asked) : fail(Fault::device, "the model answers chases alone");
  }

  Result<ChaseLatencies> chase(const ChaseRequest& request) {
    ++requests;
    // A real chase would go round a part of such a list.
    auto sorted = request.offsets;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return fail(Fault::device, "an offset stands twice in the list");
    if (sorted.back() >= fails_from) return fail(Fault::device, "the model refuses");
    if (memory_.cold || levels_.empty()) {
      levels_.clear();
      for (const ModelCache& cache : memory_.levels)
        levels_.push_back(std::make_unique<ModelLevel>(cache, random_));
    }
    ChaseLatencies out;
    double sum = 0;
    for (std::uint32_t pass = 0; pass < request.warm_passes + request.observed_passes; ++pass) {
      for (const std::uint64_t offset : request.offsets) {
        ++accesses;
        const double clocks = access(offset);
        if (pass < request.warm_passes) continue;
        sum += clocks;
        if (!request.average) out.push_back(clocks + memory_.overhead);
      }
    }
    if (request.average)
      out.push_back(sum / (static_cast<double>(request.offsets.size()) * request.observed_passes));
    return out;
  }

  std::uint64_t most_bytes(Space) const override { return memory_.bytes; }

  std::uint64_t requests = 0, accesses = 0;
  std::uint64_t fails_from = UINT64_MAX;  ///< Chases that reach this offset are errors.

 private:
  double access(std::uint64_t address) {
    std::size_t level = 0;
    while (level < levels_.size() && !levels_[level]->access(address)) ++level;
    double clocks = memory_.latency[level];
    if (memory_.jitter > 0)
      clocks += static_cast<double>(random_() % static_cast<std::uint64_t>(memory_.jitter + 1));
    if (memory_.outliers > 0 && static_cast<double>(random_() >> 11) * 0x1p-53 < memory_.outliers)
      clocks += memory_.late;
    return clocks;
  }

  ModelMemory memory_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<ModelLevel>> levels_;
};

}  // namespace gpx::testing
