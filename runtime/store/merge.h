// Merge: the shards of a run, measured by several processes, as the run that one process would have
// measured. Its points are complete; its analyses are still to be made, as those of a run that
// ended early. Covered by tests/store/merge_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/store/store.h"

namespace gpx::store {

/// A run and the store that it is from.
struct PlacedRun {
  std::string store;
  StoredRun run;
};

/// Of a run that measures one shard; nullptr: it measures all points.
const Shard* shard_of(const RunResult& run);

/// Shards of one run: same text, settings, seed, number of shards, and device as it was asked for.
struct ShardGroup {
  std::vector<PlacedRun> shards;
};
/// In the order in which their first shards come.
std::vector<ShardGroup> group_shards(std::vector<PlacedRun> runs);

/// The run of a group of shards: interrupted, with all points. Its id follows from those of the
/// shards. `all` names where a missing shard may be. Errors, with stores and shards: a missing
/// shard; one that ended early; two with different samples; another device, device file, kernels or
/// build of gpx; measurements that another process disturbed.
Result<StoredRun> join_shards(const ShardGroup& group, const std::vector<ShardGroup>& all);

}  // namespace gpx::store
