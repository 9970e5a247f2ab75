// Shard: a fixed part of an experiment's points, for sweeps that several processes measure.
//
// Points of all measures count together, in their order. Shard K of N has every N-th of them, from
// the K-th on: neighbours go to different shards, so that costs that grow along a sweep spread
// evenly. Covered by tests/runtime/shard_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx {

struct Shard {
  std::uint64_t index = 1;  ///< From 1.
  std::uint64_t count = 1;  ///< 1: the whole sweep.

  bool is_whole() const { return count == 1; }
  /// How many of `total` points it has; 0 where there are fewer points than shards.
  std::uint64_t points_of(std::uint64_t total) const;
  /// Which of the `points` of a measure are its own, where so many points of other measures come
  /// before: indices within the measure.
  std::vector<std::uint64_t> points_within(std::uint64_t before, std::uint64_t points) const;

  bool operator==(const Shard&) const = default;
};

constexpr std::uint64_t kMostShards = 1'000'000;

/// "2/4". Errors: it is not of this form, K is not in 1..N, or N exceeds kMostShards.
Result<Shard> parse_shard(const std::string& text);
std::string to_string(const Shard& shard);

/// Columns that only the samples of a shard have: the number of the point among all points of the
/// sweep, from 0, and the values that its kernel read (values_digest.h). Neither can be the name of
/// an axis or a measure.
constexpr const char* kShardPoint = "shard.point";
constexpr const char* kShardValues = "shard.values";

}  // namespace gpx
