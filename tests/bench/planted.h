// What random devices are drawn and written with: one cache or TLB of any geometry and policy, its
// text in a device file, and what findings call its policy. Covered by
// tests/bench/recover_test.cpp.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace gpx::bench {

/// One level, of whatever kind.
struct Cache {
  std::uint64_t line = 32, sector = 0;
  std::uint32_t ways = 1;  ///< Where `set_sizes` is empty.
  std::uint64_t sets = 1;
  std::vector<std::uint32_t> set_sizes;
  std::vector<std::vector<int>> set_bits;  ///< Empty: the line's number modulo the sets.
  bool modulo = false;  ///< The number that set_bits make is taken modulo the sets.
  std::string policy = "lru";
  std::string policy_fields;  ///< " fill_age = 2,": those of the policy alone.
  std::string policy_name;    ///< In findings, of a policy with fields.
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
  Cache equal(std::uint64_t line, std::uint64_t most_lines);
  /// Sets of unequal size, as mei2014 finds in an L2 TLB.
  Cache unequal(std::uint64_t line, std::uint64_t most_lines);
  /// `bits` bits from `low` on, each with some of the next bits above them.
  std::vector<std::vector<int>> hashed(int low, int bits);
  /// One of these policies, where the cache can have it.
  void policy_of(Cache& cache, const std::vector<std::string>& policies);

 private:
  void set_function(Cache& cache);
  void policy(Cache& cache);

  std::mt19937_64 random_;
};

/// `section = { geometry, rest },`
std::string lua_cache(const std::string& section, const Cache& cache, const std::string& rest);
std::string lua_tlb(const std::string& section, const Cache& cache, const std::string& rest);

/// What the findings call a policy. Two ways make a tree of one bit, which is LRU; one way has
/// none.
std::string policy_name(const Cache& cache);

}  // namespace gpx::bench
