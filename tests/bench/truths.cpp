#include "tests/bench/truths.h"

#include <algorithm>
#include <bit>

namespace gpx::bench {
namespace {

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

}  // namespace

void Truths::add(Truth truth) {
  const bool shows = latency_shows && truth.parameter == "latency";
  if (truth.undecidable.empty() && !shows) truth.undecidable = undecidable;
  truth.hidden = hidden;
  device_.truths.push_back(std::move(truth));
}

void Truths::number(const std::string& finding, const std::string& parameter, std::uint64_t value) {
  add({finding, parameter, static_cast<double>(value)});
}

void Truths::word(const std::string& finding, const std::string& parameter,
                  const std::string& value) {
  add({finding, parameter, value});
}

void Truths::latency(const std::string& finding, double least, double most) {
  add({finding, "latency", least, most + noise});
}

void Truths::level(const std::string& prefix, const Cache& cache, const std::string& line,
                   double least, double most) {
  number(prefix + "capacity", "capacity", cache.capacity());
  number(prefix + line, line, cache.line);
  if (line == "line") number(prefix + "sector", "sector", cache.sector ? cache.sector : cache.line);
  number(prefix + "sets", "sets", cache.set_sizes.empty() ? cache.sets : cache.set_sizes.size());
  auto sizes = cache.set_sizes;
  std::sort(sizes.rbegin(), sizes.rend());
  if (sizes.empty() || sizes.front() == sizes.back())
    number(prefix + "ways", "ways", sizes.empty() ? cache.ways : sizes.front());
  else
    add({prefix + "set_sizes", "set_sizes", std::vector<double>(sizes.begin(), sizes.end())});
  if (set_functions) set_function(prefix, cache);
  policy(prefix, cache);
  latency(prefix + "latency", least, most);
}

void Truths::set_function(const std::string& prefix, const Cache& cache) {
  SetFunction fn;
  fn.line = cache.line, fn.capacity = cache.capacity();
  const int low = std::countr_zero(cache.line);
  if (cache.set_bits.empty() && std::has_single_bit(cache.sets))
    for (int i = 0; i < std::countr_zero(cache.sets); ++i) fn.masks.push_back(1ull << (low + i));
  else if (cache.set_bits.empty() || cache.modulo)
    fn.modulo = cache.sets;
  for (const auto& bits : cache.set_bits) {
    std::uint64_t mask = 0;
    for (const int bit : bits) mask |= 1ull << bit;
    fn.masks.push_back(mask);
  }
  add({prefix + "sets", "set function", std::move(fn)});
}

void Truths::policy(const std::string& prefix, const Cache& cache) {
  Truth truth{prefix + "policy", "policy", policy_name(cache), 0, policy_undecidable, {}};
  const std::uint32_t ways = cache.set_sizes.empty() ? cache.ways : cache.set_sizes.back();
  if (ways == 1) truth.undecidable = "a set of one way has nothing to choose";
  if (cache.policy == "qlru" && ways > 32)
    truth.undecidable = "the findings have names for this policy up to 32 ways";
  add(std::move(truth));
}

void Truths::hide_behind(const Cache& near) {
  if (hidden.empty()) hidden = in_the_way(near);
}

}  // namespace gpx::bench
