#include "tests/bench/planted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

namespace gpx::bench {
namespace {

constexpr int kMostBit = 47;

std::string lua_policy(const Cache& cache) {
  std::string text = fmt::format(" policy = \"{}\",", cache.policy);
  if (!cache.probability.empty())
    text += fmt::format(" way_probability = {{ {:.17g} }},", fmt::join(cache.probability, ", "));
  text += cache.policy_fields;
  if (cache.modulo) text += " set_choice = \"modulo\",";
  if (cache.set_bits.empty()) return text;
  std::vector<std::string> bits;
  for (const auto& bit : cache.set_bits)
    bits.push_back(bit.size() == 1 ? fmt::format("{}", bit[0])
                                   : fmt::format("{{ {} }}", fmt::join(bit, ", ")));
  return text + fmt::format(" set_bits = {{ {} }},", fmt::join(bits, ", "));
}

}  // namespace

Cache Draw::equal(std::uint64_t line, std::uint64_t most_lines) {
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

Cache Draw::unequal(std::uint64_t line, std::uint64_t most_lines) {
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

void Draw::set_function(Cache& cache) {
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

void Draw::policy(Cache& cache) {
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

std::vector<std::vector<int>> Draw::hashed(int low, int bits) {
  std::vector<std::vector<int>> all;
  const bool folds = chance(50);
  for (int i = 0; i < bits; ++i) {
    std::vector<int> bit = {low + i};
    if (folds) {
      if (low + bits + i <= kMostBit) bit.push_back(low + bits + i);
    } else {
      for (int above = low + bits; above < low + bits + 5; ++above)
        if (chance(40)) bit.push_back(above);
    }
    all.push_back(std::move(bit));
  }
  return all;
}

void Draw::policy_of(Cache& cache, const std::vector<std::string>& policies) {
  cache.policy = one_of(policies);
  if (cache.policy == "plru" && !std::has_single_bit(cache.ways)) cache.policy = "lru";
  if (cache.policy != "qlru") return;
  // U2 may leave a set without a line that can be replaced, unless R1 replaces the first one
  // then.
  const bool one = chance(50);
  const char* hit = one_of<const char*>({"H11", "H00", "H21"});
  const char* insertion = one_of<const char*>({"M1", "M2"});
  cache.policy_fields = fmt::format(
      " qlru_hit = \"{}\", qlru_insertion = \"{}\", qlru_replacement = \"{}\", qlru_update = "
      "\"{}\",",
      hit, insertion, one ? "R1" : "R0", one ? "U2" : "U0");
  cache.policy_name = fmt::format("QLRU_{}_{}_{}", hit, insertion, one ? "R1_U2" : "R0_U0");
}

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

std::string policy_name(const Cache& cache) {
  if (cache.policy == "lru") return "LRU";
  if (cache.policy == "fifo") return "FIFO";
  if (cache.policy == "plru") return cache.ways == 2 ? "LRU" : "PLRU";
  if (cache.policy == "srrip") return "SRRIP";
  if (cache.policy == "aged") return "AGED-2";
  if (cache.policy == "qlru") return cache.policy_name;
  return cache.policy == "random" ? "random" : "non-LRU";
}

}  // namespace gpx::bench
