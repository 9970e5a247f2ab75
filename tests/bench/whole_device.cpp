// Whole devices: every part of the memory of a GPU at once, with noise and distances, in the sizes
// that GPUs from Maxwell (2014) to Hopper (2022) have. See random_device.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "tests/bench/planted.h"
#include "tests/bench/random_device.h"
#include "tests/bench/truths.h"

namespace gpx::bench {
namespace {

constexpr std::uint64_t kKiB = 1 << 10, kMiB = 1 << 20;
constexpr double kTwoPlateaus = 1.3;  ///< By which two levels of code differ that are told apart.
constexpr std::uint64_t kConstant = 64 * kKiB;  ///< All of constant memory.
constexpr std::uint64_t kLeastPage = 64 * kKiB;

const char* const kFewGranules = "the memory has not twice as many granules as it holds entries";
const char* const kNoTrace = "averages over placements do not show which entry leaves";

std::string clocks(double value) {
  return fmt::format("\"{:g} clocks\"", value);
}

const std::vector<std::string> kFirstPolicies = {"lru",   "lru",  "aged", "aged",
                                                 "srrip", "qlru", "plru", "random"};
const std::vector<std::string> kSecondPolicies = {"lru", "lru", "lru", "srrip", "plru", "qlru"};
const std::vector<std::string> kPolicies = {"lru",   "lru",  "fifo", "aged",
                                            "srrip", "qlru", "plru", "random"};
/// Of caches that no kernel visits line by line, which tell quad-age policies from each other.
const std::vector<std::string> kFewPolicies = {"lru", "lru", "fifo", "plru", "random"};

/// The least and the most that the way from SM 0 adds to an access.
struct Distance {
  double least = 0, most = 0;
};

/// Clocks: 1 of 2048 lines, whose slices differ by 24; up to 2 of a load's own issue.
constexpr double kMeanError = 3;

class Whole {
 public:
  Whole(std::uint64_t seed, bool small, bool wide)
      : draw_(seed ^ (wide ? 0x77696465ull : 0x77686f6c65ull)), small_(small), wide_(wide) {
    made_.name = fmt::format("{}{}", wide ? "wide" : "whole", seed);
  }

  RandomDevice make() {
    chip();
    places();
    data();
    translation();
    textures();
    constants();
    code();
    shared();
    made_.lua += "}\n";
    made_.groups = {"global", "texture", "constant", "tlb", "shared_banks", "instruction_cache"};
    return std::move(made_);
  }

 private:
  template <typename... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    made_.lua += fmt::format(text, std::forward<T>(values)...);
  }
  double between(std::uint64_t low, std::uint64_t high) {
    return static_cast<double>(draw_.between(low, high));
  }

  void chip() {
    sms_ = small_ ? 4 : 2 * draw_.one_of<std::uint64_t>({8, 10, 14, 20, 28, 34, 40, 42, 54, 66});
    const auto memory =
        small_ ? 1 : draw_.one_of<std::uint64_t>({4, 6, 8, 11, 12, 16, 24, 32, 40, 48, 80});
    memory_ = memory << 30;
    add("return {{\n  name = \"{}\",\n  clock = \"{} MHz\",\n  compute_capability = \"{}\",\n"
        "  memory = \"{} GB\",\n",
        made_.name, draw_.between(900, 2500),
        draw_.one_of<const char*>({"7.0", "7.5", "8.0", "8.6", "8.9", "9.0"}), memory);
    add("  sm = {{ count = {}, per_tpc = 2, per_gpc = {}, warp_slots = {}, block_slots = {}, "
        "max_threads_per_block = 1024, schedulers = 4, shared = \"{} KB\" }},\n",
        sms_, draw_.between(4, 9), draw_.one_of<int>({32, 48, 64}), draw_.one_of<int>({16, 24, 32}),
        draw_.one_of<int>({64, 96, 100, 164, 228}));
    alu_ = between(4, 6);
    add("  op = {{\n");
    for (const char* unit : {"alu", "fp64", "sfu", "warp", "branch"})
      add("    {} = {{ latency = {}, interval = \"0.5 clocks\" }},\n", unit, clocks(alu_));
    add("  }},\n  coalescer = {{ line = \"32 B\" }},\n");
    add("  lsu = {{ pipelines = 1, clocks_per_load = {}, clocks_per_lane = 0, "
        "writeback_per_lane = 0 }},\n",
        draw_.between(1, 2));
    add("  barrier = {{ latency = {} }},\n", clocks(between(14, 30)));
    add("  clock_register = {{ cost = {} }},\n", clocks(between(2, 20)));
    jitter_ = draw_.chance(75) ? between(1, 4) : 0;
    if (jitter_ > 0)
      add("  noise = {{ jitter = {}, outlier_probability = {}, outlier = {} }},\n", clocks(jitter_),
          draw_.one_of<const char*>({"0", "1e-6", "1e-5"}), clocks(between(60, 300)));
    truths_.noise = jitter_;
  }

  // --- where SMs and slices lie ---

  void places() {
    const std::uint64_t tpcs = sms_ / 2;
    std::string text;
    if (draw_.chance(70)) {
      std::vector<double> offsets;
      const double range = between(5, 35);
      for (std::uint64_t i = 0; i < tpcs; ++i)
        offsets.push_back(std::floor(range * static_cast<double>(i) / static_cast<double>(tpcs)));
      mean_distance_ += std::reduce(offsets.begin(), offsets.end()) / static_cast<double>(tpcs);
      text += fmt::format(" offsets = {{ {:g} }},", fmt::join(offsets, ", "));
    }
    if (draw_.chance(50)) text += slices(tpcs);
    if (!text.empty()) add("  interconnect = {{{} }},\n", text);
  }

  /// Slices at distances of their own from each TPC.
  std::string slices(std::uint64_t tpcs) {
    const int bits = static_cast<int>(draw_.between(2, 5));
    const auto count = std::uint64_t{1} << bits;
    std::vector<std::string> masks, rows;
    for (int i = 0; i < bits; ++i) masks.push_back(fmt::format("{{ {}, {} }}", 12 + i, 18 + i));
    const auto range = draw_.between(4, 24);
    for (std::uint64_t tpc = 0; tpc < tpcs; ++tpc) {
      std::vector<std::uint64_t> row;
      for (std::uint64_t i = 0; i < count; ++i) row.push_back(draw_.below(range + 1));
      mean_distance_ += static_cast<double>(std::reduce(row.begin(), row.end())) /
                        static_cast<double>(count * tpcs);
      if (tpc == 0) {
        const auto [least, most] = std::ranges::minmax(row);
        distance_.least += static_cast<double>(least);
        distance_.most += static_cast<double>(most);
      }
      rows.push_back(fmt::format("{{ {} }}", fmt::join(row, ", ")));
    }
    return fmt::format(" slice_bits = {{ {} }}, distances = {{ {} }},", fmt::join(masks, ", "),
                       fmt::join(rows, ", "));
  }

  // --- data caches ---

  Cache first_cache() {
    Cache l1;
    l1.line = 128, l1.sector = 32;
    const auto size = small_ ? draw_.one_of<std::uint64_t>({8, 12, 16})
                             : draw_.one_of<std::uint64_t>({24, 32, 48, 64, 96, 128, 192, 256});
    const std::uint64_t lines = size * kKiB / l1.line;
    const std::uint64_t part = lines / std::bit_floor(lines & ~(lines - 1));  // 1 or 3
    l1.ways = static_cast<std::uint32_t>(part * draw_.one_of<std::uint64_t>({2, 4, 4, 8, 16}));
    if (part == 1) l1.ways *= 2;
    l1.sets = lines / l1.ways;
    if (draw_.chance(60))
      l1.set_bits = draw_.hashed(std::countr_zero(l1.line), std::countr_zero(l1.sets));
    draw_.policy_of(l1, wide_ ? kPolicies : kFirstPolicies);
    return l1;
  }

  std::uint64_t second_size() {
    if (small_) return draw_.one_of<std::uint64_t>({512, 768});
    if (wide_)
      return draw_.one_of<std::uint64_t>({1024,  1280,  1536,  2048,  2560,  3072,  4096,
                                          5120,  6144,  8192,  10240, 12288, 16384, 20480,
                                          24576, 32768, 40960, 49152, 65536, 73728, 81920});
    return draw_.one_of<std::uint64_t>(
        {1536, 2048, 3072, 4096, 5632, 6144, 32768, 40960, 49152, 51200});
  }

  Cache second_cache() {
    Cache l2;
    l2.line = 128, l2.sector = draw_.one_of<std::uint64_t>({32, 32, 64, 128});
    if (l2.sector == l2.line) l2.sector = 0;
    const auto size = second_size();
    l2.ways = 16;
    if (wide_) {
      do l2.ways = draw_.one_of<std::uint32_t>({8, 10, 12, 16, 16, 20, 24, 32});
      while (size * kKiB / l2.line % l2.ways != 0);
    }
    l2.sets = size * kKiB / l2.line / l2.ways;
    split_ = l2.sets >= 16384 && draw_.chance(70);
    const auto own = split_ ? l2.sets / 2 : l2.sets;
    l2.modulo = !std::has_single_bit(own);
    // More bits than the sets have, so that the remainders are nearly alike in number.
    const int bits = std::bit_width(own - 1) + (l2.modulo ? 4 : 0);
    const bool hashed = l2.modulo ? draw_.chance(80) : !wide_ || draw_.chance(70);
    if (hashed) l2.set_bits = draw_.hashed(std::countr_zero(l2.line), bits);
    if (l2.set_bits.empty()) l2.modulo = false;  // its lines' numbers as they are
    draw_.policy_of(l2, wide_ ? kPolicies : kSecondPolicies);
    return l2;
  }

  void data() {
    first_ = between(25, 90);
    second_ = first_ + between(120, 220);
    memory_latency_ = second_ + between(150, 400);
    const Cache l1 = first_cache();
    l2_ = second_cache();
    unified_ = draw_.chance(75);
    add("{}", lua_cache("l1", l1,
                        fmt::format("latency = {},{}", clocks(first_),
                                    unified_ ? " texture_extra = \"58 clocks\"," : "")));
    add("{}", lua_cache("l2", l2_, fmt::format("latency = {}", clocks(second_))));
    if (split_) halves();
    add("  dram = {{ latency = {}, departure = \"0.1 clocks\" }},\n", clocks(memory_latency_));
    truths_.set_functions = true;
    plant("l1.", l1, "line", {first_, first_});
    plant("l2.", second_seen(), "line", over_sms(second_));
    truths_.number("l2.whole_capacity", "whole capacity", l2_.capacity());
    truths_.set_functions = false;
    truths_.latency("miss.latency", farther(memory_latency_).least, farther(memory_latency_).most);
    made_.absent.push_back("l3.");
  }

  /// L2 as loads of one SM see it.
  Cache second_seen() const {
    Cache seen = l2_;
    if (!split_) return seen;
    if (copies_) {
      seen.sets /= 2;  // what an SM reads lies in its own half
      return seen;
    }
    // The side of an address is one bit more of its set.
    if (l2_.set_bits.empty())
      for (int i = 0; i < std::countr_zero(l2_.sets / 2); ++i)
        seen.set_bits.push_back({std::countr_zero(l2_.line) + i});
    seen.modulo = !std::has_single_bit(l2_.sets / 2);
    seen.set_bits.push_back(side_);
    return seen;
  }

  void halves() {
    copies_ = draw_.chance(75);
    const double extra = between(40, 200);
    const int top = std::countr_zero(l2_.line) + std::bit_width(l2_.sets);
    add("  l2_partitions = {{ side_bits = {{ {{ {}, {}, {} }} }}, extra = {{ 0, {:g}, {:g}, 0 }}, "
        "far_hit = \"{}\" }},\n",
        top, top + 1, top + 3, extra, extra, copies_ ? "copy" : "nothing");
    side_ = {top, top + 1, top + 3};
    distance_.most += extra;
  }

  /// As SM 0 sees it.
  Distance farther(double latency) const {
    return {latency + distance_.least, latency + distance_.most};
  }

  /// The mean over all SMs, or as SM 0 sees it where only that one is asked.
  Distance over_sms(double latency) const {
    return {latency + std::min(distance_.least, mean_distance_ - kMeanError),
            latency + std::max(distance_.most, mean_distance_ + kMeanError)};
  }

  void plant(const std::string& prefix, const Cache& cache, const std::string& line, Distance hit) {
    truths_.level(prefix, cache, line, hit.least, hit.most);
  }

  // --- translation ---

  /// Where neighbours alone have sets of their own, granules far apart look larger: no GPU's does.
  std::vector<std::vector<int>> hashed_sets(const Cache& buffer) {
    return draw_.hashed(std::countr_zero(buffer.line), std::countr_zero(buffer.sets));
  }

  /// From a quarter of L2 to 16 times as much, in pages of 64 KB and more, of any policy.
  void reach_of_l2(Cache& near, Cache& far) {
    const std::uint64_t reach = (l2_.capacity() / 4) << draw_.below(7);
    const std::uint64_t most = std::max<std::uint64_t>(reach / kLeastPage, 16);
    do far.sets = draw_.one_of<std::uint64_t>({16, 32, 64, 128, 256, 512}) / far.ways;
    while (far.lines() > most);
    far.line = std::max(std::bit_floor(reach / far.lines()), kLeastPage);
    near.line = std::max(far.line >> draw_.below(3), kLeastPage);
    near.sets = draw_.one_of<std::uint64_t>({1, 1, 2, 4});
    near.ways /= draw_.one_of<std::uint32_t>({1, 2}) * static_cast<std::uint32_t>(near.sets);
    near.set_bits = hashed_sets(near);
    draw_.policy_of(near, kFewPolicies);
    draw_.policy_of(far, kFewPolicies);
  }

  void reach_of_gpus(Cache& far) {
    std::uint64_t most = 4096;
    while (most > 64 && most * far.line > memory_ / 2 && draw_.chance(80)) most /= 2;
    do {
      far.sets = draw_.one_of<std::uint64_t>({64, 128, 256, 512, 1024, 2048}) / far.ways;
    } while (far.lines() > std::max<std::uint64_t>(most, 64));
  }

  void translation() {
    Cache near;
    near.line = draw_.one_of<std::uint64_t>({2, 2, 8, 16}) * kMiB;
    near.ways = small_ ? 16 : draw_.one_of<std::uint32_t>({16, 16, 24, 32});
    near.scope = draw_.one_of<std::string>({"sm", "tpc"});
    Cache far;
    far.line = std::max(near.line, draw_.one_of<std::uint64_t>({2, 8, 16, 32}) * kMiB);
    far.scope = draw_.one_of<std::string>({"gpc", "gpu"});
    far.ways = draw_.one_of<std::uint32_t>({4, 8, 8, 16});
    wide_ ? reach_of_l2(near, far) : reach_of_gpus(far);
    far.set_bits = hashed_sets(far);
    const double first = between(8, 60), second = first + between(60, 300);
    const bool two = far.capacity() >= 3 * near.capacity() && !small_;
    add("{}", lua_tlb("tlb_l1", near, fmt::format("miss = {}", clocks(two ? first : second))));
    if (two) add("{}", lua_tlb("tlb_l2", far, fmt::format("miss = {}", clocks(second))));
    plant_buffer("tlb.l1.", near, 0);
    if (two) plant_buffer("tlb.l2.", far, first);
    if (!two) made_.absent.push_back("tlb.l2.");
    made_.absent.push_back("tlb.l3.");
    // What translates all of the memory is missed by no access, and its misses are none of the
    // device's.
    const bool missable = far.capacity() < memory_ * 9 / 10;
    truths_.undecidable = !two || !missable || held(far) ? "" : kFewGranules;
    const Distance missed = over_sms(second_ + (two && !missable ? first : second));
    truths_.latency("tlb.miss.latency", missed.least, missed.most);
    truths_.undecidable.clear();
  }

  /// Whether granules over nine tenths of the memory overflow all of its sets.
  bool held(const Cache& buffer) const {
    return static_cast<double>(buffer.capacity()) * 2 <= 0.9 * static_cast<double>(memory_);
  }

  void plant_buffer(const std::string& prefix, const Cache& cache, double clocks) {
    truths_.undecidable = held(cache) ? "" : kFewGranules;
    truths_.policy_undecidable = kNoTrace;
    plant(prefix, cache, "page", over_sms(second_ + clocks));
    truths_.undecidable.clear();
    truths_.policy_undecidable.clear();
  }

  // --- textures and constants ---

  /// Any policy that lists tell, and half of the set functions are hashed.
  void widen(Cache& cache) {
    if (!wide_) return;
    draw_.policy_of(cache, kFewPolicies);
    if (draw_.chance(50))
      cache.set_bits = draw_.hashed(std::countr_zero(cache.line), std::countr_zero(cache.sets));
  }

  void textures() {
    if (unified_) {
      made_.absent.push_back("tex.l1.");
      return;
    }
    const double first = between(60, 110), second = second_ + between(20, 60);
    Cache l1;
    l1.line = draw_.one_of<std::uint64_t>({32, 64, 128});
    l1.ways = draw_.one_of<std::uint32_t>({4, 8, 12, 16});
    l1.sets = std::uint64_t{1} << draw_.between(4, small_ ? 4 : 6);
    l1.scope = "sm";
    l1.policy = draw_.one_of<std::string>({"lru", "lru", "plru"});
    if (l1.policy == "plru" && !std::has_single_bit(l1.ways)) l1.policy = "lru";
    widen(l1);
    add("  texture = {{ latency = {}, l2_latency = {} }},\n",
        clocks(memory_latency_ + second - second_), clocks(second));
    add("{}", lua_cache("texture_l1", l1, fmt::format("latency = {}", clocks(first))));
    plant("tex.l1.", l1, "line", {first, first});
    truths_.hide_behind(l1);
    truths_.undecidable = "lists of texels need not overflow L2, whose geometry global loads tell";
    truths_.latency_shows = true;
    plant("tex.l2.", l2_, "line", farther(second));
    truths_.undecidable.clear();
    truths_.latency_shows = false;
    truths_.hidden.clear();
    const Distance missed = farther(memory_latency_ + second - second_);
    truths_.latency("tex.miss.latency", missed.least, missed.most);
    made_.absent.push_back("tex.l3.");
  }

  void constants() {
    const double first = between(20, 45), second = first + between(30, 80);
    const double third = second + between(80, 200);
    Cache l1, l2;
    l1.line = l2.line = 64;
    l1.ways = draw_.one_of<std::uint32_t>({2, 4, 8});
    l1.sets = 2 * kKiB / l1.line / l1.ways;
    l1.policy = draw_.one_of<std::string>({"lru", "plru"});
    l1.scope = "sm";
    l2.ways = draw_.one_of<std::uint32_t>({4, 8, 16});
    l2.sets = draw_.one_of<std::uint64_t>({8, 16, 32, 64, 128}) * kKiB / l2.line / l2.ways;
    l2.scope = draw_.one_of<std::string>({"sm", "tpc"});
    widen(l1);
    widen(l2);
    add("  constant = {{ latency = {}, l2_latency = {} }},\n", clocks(third + 300), clocks(third));
    add("{}", lua_cache("constant_l1", l1, fmt::format("latency = {}", clocks(first))));
    add("{}", lua_cache("constant_l2", l2, fmt::format("latency = {}", clocks(second))));
    plant("const.l1.", l1, "line", {first, first});
    truths_.hide_behind(l1);
    if (3 * l2.capacity() > kConstant)
      truths_.undecidable =
          "constant memory has not three times its bytes to overflow and clear it";
    truths_.latency_shows = true;
    plant("const.l2.", l2, "line", {second, second});
    truths_.latency_shows = false;
    truths_.hidden.clear();
    if (3 * l2.capacity() < 2 * kConstant) {
      truths_.undecidable = "L2 holds all of constant memory";
      truths_.number("const.l3.capacity", "capacity", l2_.capacity());
      truths_.undecidable.clear();
      truths_.latency("const.l3.latency", farther(third).least, farther(third).most);
    }
    truths_.undecidable.clear();
    const Distance missed = farther(third + 300);
    truths_.latency("const.miss.latency", missed.least, missed.most);
    made_.absent.push_back("const.l4.");
  }

  // --- code ---

  void code() {
    const auto prefetch = draw_.one_of<std::uint64_t>({0, 0, 128, 256, 512});
    std::vector<Cache> levels(2);
    const auto first = draw_.one_of<std::uint64_t>({12, 12, 16, 32});
    const auto second = first == 32 ? 128 : draw_.one_of<std::uint64_t>({64, 96, 128, 128});
    const std::vector<std::uint64_t> sizes = {first, second};
    std::vector<double> waits;
    const auto vague = [&](std::size_t k) {
      const double ratio = interval(waits[k + 1], prefetch) / interval(waits[k], prefetch);
      return ratio > 1 && ratio < kTwoPlateaus;
    };
    do waits = {0, between(10, 40), between(60, 200)};
    while (vague(0) || vague(1));
    std::string text;
    for (std::size_t k = 0; k < 2; ++k) {
      Cache& cache = levels[k];
      cache.line = 128;
      const std::uint64_t lines = sizes[k] * kKiB / cache.line;
      cache.ways = static_cast<std::uint32_t>(lines / (lines & (~lines + 1)) * 4);
      cache.sets = lines / cache.ways;
      cache.scope = k == 0 ? "sm" : draw_.one_of<std::string>({"sm", "tpc"});
      text += lua_cache(fmt::format("instruction_l{}", k + 1), cache,
                        fmt::format("latency = {}", clocks(waits[k])));
    }
    add("  instruction = {{ bytes = \"16 B\", fetch = \"128 B\", prefetch = \"{} B\", latency = "
        "{}, "
        "l2_latency = {} }},\n{}",
        prefetch, clocks(waits[2] + 300), clocks(waits[2]), text);
    // Where code is fetched ahead in time, what lies behind a level takes no longer: it does not
    // show.
    std::size_t shown = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      if (interval(waits[k + 1], prefetch) <= interval(waits[k], prefetch)) continue;
      const std::string prefix = fmt::format("inst.l{}.", ++shown);
      truths_.number(prefix + "capacity", "code capacity", levels[k].capacity());
      truths_.word(prefix + "scope", "code scope", levels[k].scope == "sm" ? "SM" : "TPC");
    }
    made_.absent.push_back(fmt::format("inst.l{}.", shown + 1));
  }

  /// Clocks of eight instructions, which are fetched at once, where the level takes so long: when a
  /// warp waits for some, those ahead of them are on their way.
  static double interval(double wait, std::uint64_t prefetch) {
    return std::max(8.0, (8 + wait) / static_cast<double>(1 + prefetch / 128));
  }

  void shared() {
    const double latency = between(20, 35), pass = between(1, 2);
    add("  shared = {{ latency = {}, banks = 32, width = \"4 B\", word = \"4 B\", lanes = 32, "
        "pass = {} }},\n",
        clocks(latency), clocks(pass));
    truths_.number("shared.banks", "banks", 32);
    truths_.number("shared.bank_width", "banks", 4);
    truths_.number("shared.bank_word", "banks", 4);
    truths_.number("shared.lanes_at_once", "banks", 32);
    exact("shared.latency", latency);
    exact("shared.conflict", pass);
  }

  /// Nothing adds noise to it.
  void exact(const std::string& finding, double clocks) {
    const double noise = std::exchange(truths_.noise, 0);
    truths_.latency(finding, clocks, clocks);
    truths_.noise = noise;
  }

  Draw draw_;
  bool small_, wide_;
  RandomDevice made_;
  Truths truths_{made_};
  std::uint64_t sms_ = 0, memory_ = 0;
  double jitter_ = 0, alu_ = 4, first_ = 0, second_ = 0, memory_latency_ = 0;
  Distance distance_;         ///< Of SM 0's slices.
  double mean_distance_ = 0;  ///< Of all SMs.
  Cache l2_;
  std::vector<int> side_;
  bool split_ = false, copies_ = false, unified_ = false;
};

}  // namespace

RandomDevice whole_device(std::uint64_t seed, bool small) {
  return Whole(seed, small, false).make();
}

RandomDevice wide_device(std::uint64_t seed) {
  return Whole(seed, false, true).make();
}

}  // namespace gpx::bench
