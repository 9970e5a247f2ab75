#include "tests/bench/random_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace gpx::bench {
namespace {

constexpr int kMostBit = 47;

using Sizes = std::vector<std::uint32_t>;

/// One level, of whatever kind.
struct Cache {
  std::uint64_t line = 32, sector = 0;
  std::uint32_t ways = 1;  ///< Where `set_sizes` is empty.
  std::uint64_t sets = 1;
  Sizes set_sizes;
  std::vector<std::vector<int>> set_bits;  ///< Empty: the line's number modulo the sets.
  std::string policy = "lru";
  std::vector<double> probability;
  std::string scope;

  std::uint64_t lines() const {
    return set_sizes.empty()
               ? ways * sets
               : std::accumulate(set_sizes.begin(), set_sizes.end(), std::uint64_t{0});
  }
  std::uint64_t capacity() const { return lines() * line; }
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15ull + 1) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  /// A level with equal sets, at most `most_lines` lines.
  Cache equal(std::uint64_t line, std::uint64_t most_lines) {
    Cache cache;
    cache.line = line;
    do {
      cache.ways = one_of<std::uint32_t>({1, 2, 3, 4, 5, 6, 8, 8, 12, 16, 20, 24, 32, 48, 96});
      cache.sets = chance(75) ? std::uint64_t{1} << below(11) : between(1, 48);
    } while (cache.lines() > most_lines);
    if (std::has_single_bit(cache.sets) && cache.sets > 1) set_function(cache);
    policy(cache);
    return cache;
  }

  /// Sets of unequal size, as mei2014 finds in an L2 TLB.
  Cache unequal(std::uint64_t line, std::uint64_t most_lines) {
    Cache cache;
    cache.line = line;
    do {
      const auto base = static_cast<std::uint32_t>(between(2, 12));
      cache.set_sizes.assign(between(2, 10), base);
      cache.set_sizes[0] = base + static_cast<std::uint32_t>(between(1, 12));
      if (chance(40)) cache.set_sizes[1] = base + static_cast<std::uint32_t>(between(0, 5));
    } while (cache.lines() > most_lines);
    if (chance(30)) cache.policy = "fifo";
    return cache;
  }

 private:
  void set_function(Cache& cache) {
    const int bits = std::countr_zero(cache.sets), low = std::countr_zero(cache.line);
    const std::uint64_t form = below(4);
    if (form < 2) return;  // the line's number modulo the sets
    const bool folds = chance(50);
    const int shift = static_cast<int>(form == 2 ? between(1, 3) : 0);
    for (int i = 0; i < bits; ++i) {
      cache.set_bits.push_back({low + shift + i});
      if (form == 3) {
        for (int part = 1; part <= (folds ? 2 : 1); ++part)
          if (low + part * bits + i <= kMostBit)
            cache.set_bits.back().push_back(low + part * bits + i);
      }
    }
  }

  void policy(Cache& cache) {
    cache.policy = one_of<std::string>({"lru", "lru", "fifo", "plru", "random", "weighted"});
    if (cache.policy == "plru" && (!std::has_single_bit(cache.ways) || cache.ways > 64))
      cache.policy = "lru";
    if (cache.policy == "weighted" && (cache.ways < 3 || cache.ways > 8)) cache.policy = "fifo";
    if (cache.policy != "weighted") return;
    // One way is replaced more often than the others, as mei2014 finds.
    const double heavy = static_cast<double>(between(40, 60)) / 100;
    cache.probability.assign(cache.ways, (1 - heavy) / (cache.ways - 1));
    cache.probability[below(cache.ways)] = heavy;
  }

  std::mt19937_64 random_;
};

std::string lua_policy(const Cache& cache) {
  std::string text = fmt::format(" policy = \"{}\",", cache.policy);
  if (!cache.probability.empty())
    text += fmt::format(" way_probability = {{ {:.17g} }},", fmt::join(cache.probability, ", "));
  if (cache.set_bits.empty()) return text;
  std::vector<std::string> bits;
  for (const auto& bit : cache.set_bits)
    bits.push_back(bit.size() == 1 ? fmt::format("{}", bit[0])
                                   : fmt::format("{{ {} }}", fmt::join(bit, ", ")));
  return text + fmt::format(" set_bits = {{ {} }},", fmt::join(bits, ", "));
}

/// `section = { geometry, rest },`
std::string lua_cache(const std::string& section, const Cache& cache, const std::string& rest) {
  const std::string sizes =
      cache.set_sizes.empty()
          ? fmt::format("capacity = \"{} B\", ways = {},", cache.capacity(), cache.ways)
          : fmt::format("set_sizes = {{ {} }},", fmt::join(cache.set_sizes, ", "));
  const std::string sector =
      cache.sector ? fmt::format(" sector = \"{} B\",", cache.sector) : std::string();
  const std::string scope =
      cache.scope.empty() ? std::string() : fmt::format(" scope = \"{}\",", cache.scope);
  return fmt::format("  {} = {{ {} line = \"{} B\",{}{}{} {} }},\n", section, sizes, cache.line,
                     sector, scope, lua_policy(cache), rest);
}

std::string lua_tlb(const std::string& section, const Cache& cache, const std::string& rest) {
  const std::string sizes =
      cache.set_sizes.empty()
          ? fmt::format("entries = {}, ways = {},", cache.lines(), cache.ways)
          : fmt::format("set_sizes = {{ {} }},", fmt::join(cache.set_sizes, ", "));
  return fmt::format("  {} = {{ {} page = \"{} B\", scope = \"{}\",{} {} }},\n", section, sizes,
                     cache.line, cache.scope, lua_policy(cache), rest);
}

/// What the findings call a policy. Two ways make a tree of one bit, which is LRU; one way has
/// none.
std::string policy_name(const Cache& cache) {
  if (cache.policy == "lru") return "LRU";
  if (cache.policy == "fifo") return "FIFO";
  if (cache.policy == "plru") return cache.ways == 2 ? "LRU" : "PLRU";
  return cache.policy == "random" ? "random" : "non-LRU";
}

/// Why chases cannot pass by a level: those of the papers ask a farther one by lists that miss in
/// all nearer ones. Empty where lists of twice its size do that.
std::string in_the_way(const Cache& near) {
  if (near.policy != "lru" && near.policy != "fifo")
    return "a nearer level gives up lines at random, so that no list misses it for certain";
  if (!near.set_sizes.empty()) return "the sets of a nearer level differ in size";
  const bool hashed =
      std::ranges::any_of(near.set_bits, [](const auto& bit) { return bit.size() > 1; });
  return hashed ? "the sets of a nearer level are hashed" : "";
}

/// Pages that lie next to each other of which a data cache holds two lines each: of a page only the
/// first 4 KB can be visited before its size is known.
std::uint64_t pages_held(const Cache& data, std::uint64_t page) {
  const std::uint64_t phases = std::max<std::uint64_t>(1, data.sets * data.line / page);
  return data.ways * std::min(data.sets, 4096 / data.line * phases) / 2;
}

class Maker {
 public:
  Maker(std::uint64_t seed, bool small) : draw_(seed), small_(small) {
    made_.name = fmt::format("planted{}", seed);
  }

  RandomDevice make() {
    jitter_ = draw_.chance(50) ? static_cast<double>(draw_.between(1, small_ ? 4 : 12)) : 0;
    outliers_ = !small_ && draw_.chance(25);
    common();
    switch (draw_.below(5)) {
      case 0:
      case 1:
        data(draw_.chance(50) && !small_);
        break;
      case 2:
        data(false);
        texture();
        break;
      case 3:
        constant();
        break;
      default:
        translation();
    }
    if (!has_dram_) dram(static_cast<double>(draw_.between(300, 700)));
    made_.lua += "}\n";
    return std::move(made_);
  }

 private:
  void add(const std::string& text) { made_.lua += text; }

  void common() {
    // The clock, the register of clocks and the units of arithmetic do not bear on caches.
    const auto alu = draw_.between(2, 24);
    add(
        fmt::format("return {{\n  name = \"{}\",\n  clock = \"{} MHz\",\n"
                    "  compute_capability = \"3.5\",\n  memory = \"{} MB\",\n",
                    made_.name, draw_.between(500, 2000), draw_.one_of<int>({1024, 2048, 4096})));
    add(
        fmt::format("  sm = {{ count = {}, warp_slots = {}, block_slots = 8, "
                    "max_threads_per_block = {}, schedulers = {}, shared = \"48 KB\" }},\n",
                    draw_.between(1, 16), draw_.one_of<int>({32, 48, 64}),
                    draw_.one_of<int>({512, 1024}), draw_.between(1, 4)));
    add("  op = {\n");
    for (const char* unit : {"alu", "fp64", "sfu", "warp", "branch"})
      add(fmt::format("    {} = {{ latency = \"{} clocks\", interval = \"1 clock\" }},\n", unit,
                      alu));
    add("  },\n");
    coalescer_ = draw_.one_of<std::uint64_t>({32, 64, 128});
    add(fmt::format("  coalescer = {{ line = \"{} B\" }},\n", coalescer_));
    add(
        fmt::format("  lsu = {{ pipelines = 1, clocks_per_load = {}, clocks_per_lane = 0.5, "
                    "writeback_per_lane = 0.25 }},\n",
                    draw_.between(1, 6)));
    if (draw_.chance(40))
      add(fmt::format("  mshr = {{ entries = {}, merges = 8 }},\n", draw_.between(16, 200)));
    else if (draw_.chance(50))
      add(fmt::format("  prt = {{ entries = {} }},\n", draw_.between(8, 64)));
    if (jitter_ > 0)
      add(fmt::format("  noise = {{ jitter = \"{:g} clocks\"{} }},\n", jitter_,
                      outliers_ ? ", outlier_probability = 1e-5, outlier = \"300 clocks\"" : ""));
    add(fmt::format("  shared = {{ latency = \"{} clocks\" }},\n", draw_.between(20, 60)));
    add(fmt::format("  barrier = {{ latency = \"{} clocks\" }},\n", draw_.between(4, 30)));
    add(fmt::format("  clock_register = {{ cost = \"{} clocks\" }},\n", draw_.between(2, 40)));
  }

  void dram(double latency) {
    has_dram_ = true;
    add(fmt::format("  dram = {{ latency = \"{:g} clocks\", departure = \"1 clock\" }},\n",
                    latency));
    if (!has_constant_) add("  constant = { latency = \"40 clocks\" },\n");
    has_constant_ = true;
  }

  Cache level(std::uint64_t line, std::uint64_t most_lines) {
    if (small_) most_lines = std::min<std::uint64_t>(most_lines, 128);
    return draw_.chance(20) ? draw_.unequal(line, most_lines) : draw_.equal(line, most_lines);
  }

  /// A level that holds `least` to `most` bytes, if a few tries find one.
  std::optional<Cache> sized(std::uint64_t line, std::uint64_t least, std::uint64_t most) {
    for (int tries = 0; tries < 500; ++tries) {
      Cache cache = draw_.chance(20) ? draw_.unequal(line, std::max<std::uint64_t>(most / line, 48))
                                     : draw_.equal(line, std::max<std::uint64_t>(most / line, 4));
      if (cache.capacity() >= least && cache.capacity() <= most) return cache;
    }
    return std::nullopt;
  }

  /// A level behind `near`, three times as large at least; small ones are at most eight times.
  Cache behind(const Cache& near, std::uint64_t line, std::uint64_t most_lines) {
    const std::uint64_t least = 3 * near.capacity();
    if (auto far = sized(line, least, small_ ? 8 * near.capacity() : most_lines * line))
      return *far;
    Cache far;
    far.line = line;
    far.ways = 4;
    far.sets = std::bit_ceil(least / (line * far.ways) + 1);
    return far;
  }

  // --- the kinds of devices ---

  void data(bool two) {
    const double first = static_cast<double>(draw_.between(25, 120));
    const double step = static_cast<double>(draw_.between(60, 250));
    const double second = first + step, last = second + static_cast<double>(draw_.between(80, 400));
    Cache l1 = level(std::max(coalescer_, draw_.one_of<std::uint64_t>({32, 64, 128, 256})),
                     two ? 512 : 4096);
    if (draw_.chance(25) && l1.line > coalescer_)
      l1.sector = std::max(coalescer_, l1.line / draw_.one_of<std::uint64_t>({2, 4}));
    if (l1.sector == l1.line) l1.sector = 0;
    const bool only_l2 = !two && draw_.chance(30);
    add(lua_cache(only_l2 ? "l2" : "l1", l1, fmt::format("latency = \"{:g} clocks\"", first)));
    plant(only_l2 ? "l2." : "l1.", l1, "line", first);
    if (two) {
      const Cache l2 =
          behind(l1, std::max(l1.line, draw_.one_of<std::uint64_t>({32, 64, 128, 256})), 8192);
      add(lua_cache("l2", l2, fmt::format("latency = \"{:g} clocks\"", second)));
      plant("l2.", l2, "line", second);
    } else {
      made_.absent.push_back(only_l2 ? "l1." : "l2.");
    }
    made_.absent.push_back("l3.");
    made_.absent.push_back("tlb.l1.");
    latency("miss.latency", two ? last : second);
    dram(two ? last : second);
    made_.groups.push_back("global");
  }

  void texture() {
    const bool two = draw_.chance(50);
    const double first = static_cast<double>(draw_.between(40, 250));
    const double second = first + static_cast<double>(draw_.between(60, 250));
    const double last = two ? second + static_cast<double>(draw_.between(80, 400)) : second;
    Cache l1 = level(draw_.one_of<std::uint64_t>({32, 64, 128}), two ? 512 : 2048);
    l1.scope = draw_.one_of<std::string>({"sm", "tpc"});
    add(fmt::format("  texture = {{ latency = \"{:g} clocks\" }},\n", last));
    add(lua_cache("texture_l1", l1, fmt::format("latency = \"{:g} clocks\"", first)));
    plant("tex.l1.", l1, "line", first);
    if (two) {
      Cache l2 = behind(l1, std::max(l1.line, draw_.one_of<std::uint64_t>({64, 128, 256})), 4096);
      l2.scope = "gpu";
      add(lua_cache("texture_l2", l2, fmt::format("latency = \"{:g} clocks\"", second)));
      hide_behind(l1);
      plant("tex.l2.", l2, "line", second);
    } else {
      made_.absent.push_back("tex.l2.");
    }
    miss_latency("tex.miss.latency", last);
    made_.groups.push_back("texture");
  }

  void constant() {
    const int levels = static_cast<int>(draw_.between(1, 3));
    double clocks = static_cast<double>(draw_.between(20, 60));
    std::string text;
    std::uint64_t line = draw_.one_of<std::uint64_t>({32, 64});
    Cache near;
    near.line = line;
    for (int k = 1; k <= levels; ++k) {
      // Constant memory has 64 KB: what is larger than a third of that cannot be overflowed and
      // cleared.
      const std::uint64_t most = k == 1 ? 3072 : k == 2 ? 9216 : 24576;
      const auto drawn = sized(line, k == 1 ? 4 * line : 2 * near.capacity(), most);
      if (!drawn) break;
      Cache cache = *drawn;
      cache.scope = k == 1 ? "sm" : k == levels ? "gpu" : "tpc";
      const std::string prefix = fmt::format("const.l{}.", k);
      text += lua_cache(fmt::format("constant_l{}", k), cache,
                        fmt::format("latency = \"{:g} clocks\"", clocks));
      plant(prefix, cache, "line", clocks);
      hide_behind(cache);
      clocks += static_cast<double>(draw_.between(40, 160));
      if (draw_.chance(50)) line *= 2;
      near = cache;
    }
    add(fmt::format("  constant = {{ latency = \"{:g} clocks\" }},\n{}", clocks, text));
    has_constant_ = true;
    miss_latency("const.miss.latency", clocks);
    made_.groups.push_back("constant");
  }

  void translation() {
    const double hit = static_cast<double>(draw_.between(200, 450));
    const double first = static_cast<double>(draw_.between(30, 120));
    const double second = first + static_cast<double>(draw_.between(100, 500));
    second_ = second;
    const std::uint64_t page = 1ull << draw_.between(12, 21);
    // Lists of pages reach over half of half the memory, which has 1 GB at least.
    const std::uint64_t most = std::min<std::uint64_t>(small_ ? 64 : 2048, (128ull << 20) / page);
    const bool two = draw_.chance(60) && most >= 64 && !small_;
    Cache l1;
    l1.line = page;
    l1.ways = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(most / (two ? 4 : 1), draw_.one_of<int>({4, 8, 16, 32})));
    if (!two && draw_.chance(60)) l1 = level(page, most);
    l1.scope = draw_.one_of<std::string>({"sm", "gpu"});
    const std::string outer = fmt::format("miss = \"{:g} clocks\"", second);
    add(lua_tlb("tlb_l1", l1, two ? fmt::format("miss = \"{:g} clocks\"", first) : outer));
    plant("tlb.l1.", l1, "page", hit);
    std::vector<Cache> buffers = {l1};
    if (two) {
      const std::uint64_t smaller = draw_.chance(30) && page > (16 << 10) ? page / 4 : page;
      Cache l2 = behind(l1, smaller, most * (page / smaller));
      l2.scope = "gpu";
      add(lua_tlb("tlb_l2", l2, outer));
      hide_behind(l1);
      plant("tlb.l2.", l2, "page", hit + first);
      buffers.push_back(l2);
    } else {
      made_.absent.push_back("tlb.l2.");
    }
    behind_data(buffers, hit);
    made_.groups.insert(made_.groups.end(), {"tlb", "global"});
  }

  /// The data caches before the memory that TLBs translate for: none, or an L2 whose lines are
  /// many more than they have entries, so that its misses do not hide theirs; where its sets do
  /// not let that be, the buffer is hidden.
  void behind_data(const std::vector<Cache>& buffers, double hit) {
    if (!draw_.chance(40)) {
      dram(hit);
      made_.absent.insert(made_.absent.end(), {"l1.", "l2."});
      miss_latency("tlb.miss.latency", hit + second_);
      return;
    }
    Cache l2;
    l2.line = std::max<std::uint64_t>(coalescer_, 64);
    l2.ways = draw_.one_of<std::uint32_t>({4, 8, 16});
    l2.sets = std::bit_ceil(std::max<std::uint64_t>(2048, 16 * buffers.back().lines()) / l2.ways);
    made_.absent.push_back("l1.");
    add(lua_cache("l2", l2, fmt::format("latency = \"{:g} clocks\"", hit)));
    miss_latency("tlb.miss.latency", hit + second_);
    for (std::size_t k = 0; k < buffers.size(); ++k)
      if (buffers[k].lines() >= pages_held(l2, buffers[k].line)) {
        hide(fmt::format("tlb.l{}.", k + 1));
        hide("tlb.miss.");
      }
    dram(hit + static_cast<double>(draw_.between(150, 400)));
  }

  // --- truths ---

  void hide(const std::string& prefix) {
    for (Truth& truth : made_.truths)
      if (truth.finding.starts_with(prefix))
        truth.hidden = "the data cache has no room for the lines of so many pages";
  }

  /// What misses everything shows in any list that is long enough.
  void miss_latency(const std::string& finding, double clocks) {
    hidden_.clear();
    latency(finding, clocks);
  }

  void latency(const std::string& finding, double clocks) {
    made_.truths.push_back({finding, "latency", clocks, clocks + jitter_, {}, hidden_});
  }

  void plant(const std::string& prefix, const Cache& cache, const std::string& line,
             double clocks) {
    const auto number = [&](const std::string& what, std::uint64_t value) {
      made_.truths.push_back({prefix + what, what, static_cast<double>(value), 0, {}, hidden_});
    };
    number("capacity", cache.capacity());
    number(line, cache.line);
    if (line == "line") number("sector", cache.sector ? cache.sector : cache.line);
    number("sets", cache.set_sizes.empty() ? cache.sets : cache.set_sizes.size());
    if (cache.set_sizes.empty()) number("ways", cache.ways);
    auto sizes = cache.set_sizes;
    std::sort(sizes.rbegin(), sizes.rend());
    if (!sizes.empty() && sizes.front() == sizes.back())
      number("ways", sizes.front());
    else if (!sizes.empty())
      made_.truths.push_back({prefix + "set_sizes",
                              "set_sizes",
                              std::vector<double>(sizes.begin(), sizes.end()),
                              0,
                              {},
                              hidden_});
    policy(prefix, cache);
    latency(prefix + "latency", clocks);
  }

  /// What follows lies behind `near`, and nothing goes round that.
  void hide_behind(const Cache& near) {
    if (hidden_.empty()) hidden_ = in_the_way(near);
  }

  void policy(const std::string& prefix, const Cache& cache) {
    Truth truth{prefix + "policy", "policy", policy_name(cache), 0, {}, hidden_};
    const std::uint32_t ways = cache.set_sizes.empty() ? cache.ways : cache.set_sizes.back();
    if (ways == 1) truth.undecidable = "a set of one way has nothing to choose";
    made_.truths.push_back(std::move(truth));
  }

  Draw draw_;
  bool small_;
  RandomDevice made_;
  std::uint64_t coalescer_ = 32;
  double jitter_ = 0;
  double second_ = 0;   ///< What an access more takes that misses every TLB.
  std::string hidden_;  ///< Of what is planted from now on: Truth::hidden.
  bool outliers_ = false, has_dram_ = false, has_constant_ = false;
};

}  // namespace

RandomDevice random_device(std::uint64_t seed, bool small) {
  return Maker(seed, small).make();
}

}  // namespace gpx::bench
