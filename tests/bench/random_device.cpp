#include "tests/bench/random_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "tests/bench/planted.h"
#include "tests/bench/truths.h"

namespace gpx::bench {
namespace {

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
    truths_.noise = jitter_;
    outliers_ = !small_ && draw_.chance(25);
    common();
    switch (draw_.below(5)) {
      case 0:
      case 1: data(draw_.chance(50) && !small_); break;
      case 2:
        data(false);
        texture();
        break;
      case 3: constant(); break;
      default: translation();
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
    if (only_l2) plant_whole(l1);
    if (two) {
      const Cache l2 =
          behind(l1, std::max(l1.line, draw_.one_of<std::uint64_t>({32, 64, 128, 256})), 8192);
      add(lua_cache("l2", l2, fmt::format("latency = \"{:g} clocks\"", second)));
      plant("l2.", l2, "line", second);
      plant_whole(l2);
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
    truths_.hidden.clear();
    latency(finding, clocks);
  }

  void latency(const std::string& finding, double clocks) {
    truths_.latency(finding, clocks, clocks);
  }

  void plant(const std::string& prefix, const Cache& cache, const std::string& line,
             double clocks) {
    truths_.level(prefix, cache, line, clocks, clocks);
  }

  void plant_whole(const Cache& l2) {
    truths_.undecidable = l2.capacity() < 16384 ? "samples of a few pages say nothing" : "";
    truths_.number("l2.whole_capacity", "whole capacity", l2.capacity());
    truths_.undecidable.clear();
  }

  void hide_behind(const Cache& near) { truths_.hide_behind(near); }

  Draw draw_;
  bool small_;
  RandomDevice made_;
  Truths truths_{made_};
  std::uint64_t coalescer_ = 32;
  double jitter_ = 0;
  double second_ = 0;  ///< What an access more takes that misses every TLB.
  bool outliers_ = false, has_dram_ = false, has_constant_ = false;
};

/// The text without lines that begin with `section`.
std::string without(const std::string& text, const std::string& section) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(' ') != line.find(section)) out += line + '\n';
  return out;
}

}  // namespace

RandomDevice untranslated(RandomDevice device, std::uint64_t seed) {
  device.lua = without(device.lua, "tlb_l");
  const auto l2 = device.lua.find("\n  l2 = {");
  const std::string lru = "policy = \"lru\",";
  const auto at = l2 == std::string::npos ? l2 : device.lua.find(lru, l2);
  if (seed % 2 == 0 && at < device.lua.find('\n', l2 + 1))
    device.lua.insert(at + lru.size(), " insertion = \"lru\",");
  device.truths.clear();
  device.absent = {"tlb.l1.", "tlb.l2."};
  device.groups = {"tlb"};
  return device;
}

RandomDevice with_tenant(RandomDevice device, std::uint64_t seed) {
  Draw draw(seed ^ 0x7e4a47);
  // From 1 to 90 %, and from 5 us to 50 ms, evenly by their logarithms.
  const double duty = 0.01 * std::pow(90, static_cast<double>(draw.below(1000)) / 1000);
  const double burst = 5 * std::pow(1e4, static_cast<double>(draw.below(1000)) / 1000);
  const bool slices = draw.chance(50);
  std::string tenant = fmt::format("  tenant = {{ duty = {:.4f}, burst = \"{:.1f} us\", seed = {}",
                                   duty, burst, draw.below(1'000'000));
  if (slices)
    tenant += fmt::format(", slice = \"{} us\"", draw.between(100, 4000));
  else
    tenant += fmt::format(", latency = \"{} clocks\"", draw.between(50, 400));
  tenant +=
      fmt::format(", lines = {}, listed = {} }},\n}}\n", draw.between(16, 1024), draw.below(2));
  device.lua.replace(device.lua.rfind('}'), std::string::npos, tenant);
  return device;
}

RandomDevice random_device(std::uint64_t seed, bool small) {
  return Maker(seed, small).make();
}

}  // namespace gpx::bench
