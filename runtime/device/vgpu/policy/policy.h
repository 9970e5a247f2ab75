// Policy: a replacement policy as device files name it. The registry holds a row for each file of
// this folder, which the build lists: a new policy is a new file that defines its row.
// Covered by tests/vgpu/cache_test.cpp and device_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::vgpu::timing {

class Replacement;

/// What a device file says of a policy, by the names of its fields; a word is its index.
using PolicySettings = std::map<std::string, std::vector<double>, std::less<>>;

/// What a policy is told of its cache.
struct CacheShape {
  std::uint64_t sets = 0;
  std::uint32_t ways = 0;                       ///< Of the largest set.
  const std::vector<std::uint32_t>& set_sizes;  ///< Empty: all sets have `ways`.
  const PolicySettings& settings;

  /// The value of a field, or `absent`.
  double number(std::string_view field, double absent) const;
  const std::vector<double>& list(std::string_view field) const;
};

/// A field that only this policy reads.
struct PolicyField {
  enum class Kind { word, count, reals };
  std::string_view name;
  Kind kind;
  double low, high;           ///< Both included; of a word: 0, 0.
  std::string_view fallback;  ///< What its absence means; "": it is required.
  std::string_view help;
  std::string_view words = {};  ///< "mru lru"; the first is the fallback.
};

/// What is wrong with a device file: the field at fault, and a message.
struct PolicyMistake {
  std::string field;
  std::string message;
};

struct Policy {
  std::string_view name;
  std::string_view help;
  std::unique_ptr<Replacement> (*make)(const CacheShape&);
  std::vector<PolicyField> fields = {};
  /// It works whatever the number of ways, so that it can change with a split of shared memory.
  bool any_ways = true;
  /// `cache`: the section, for messages.
  std::optional<PolicyMistake> (*check)(const CacheShape&, const std::string& cache) = nullptr;
};

/// By name.
const std::vector<const Policy*>& policies();
/// nullptr: no policy has that name.
const Policy* find_policy(std::string_view name);

}  // namespace gpx::vgpu::timing
