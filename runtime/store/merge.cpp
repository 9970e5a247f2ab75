// Which shards belong together, and whether they do. Interface: merge.h; rows: merge_rows.h.
#include "runtime/store/merge.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <optional>

#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/store/merge_rows.h"

namespace gpx::store {
namespace {

std::string place_of(const PlacedRun& placed) {
  return fmt::format("run {} of '{}'", placed.run.number, placed.store);
}

const Shard& shard_of(const PlacedRun& placed) {
  return placed.run.result.experiments.front().shard;
}

const std::string& name_of_experiment(const PlacedRun& placed) {
  return placed.run.result.experiments.front().experiment.name;
}

/// "kepler_prt, shard 2/4 (run 1 of 'b.db')"
std::string name_of(const PlacedRun& placed) {
  return fmt::format("{}, shard {} ({})", name_of_experiment(placed), to_string(shard_of(placed)),
                     place_of(placed));
}

bool same_text(const RunResult& a, const RunResult& b) {
  const auto same_source = [](const Source& x, const Source& y) { return x.text() == y.text(); };
  const auto same_setting = [](const Setting& x, const Setting& y) {
    return x.name == y.name && x.text == y.text;
  };
  return std::ranges::equal(a.sources, b.sources, same_source) &&
         std::ranges::equal(a.settings, b.settings, same_setting);
}

/// What keeps two shards of one experiment from being of one group; "": nothing.
std::string apart_by(const PlacedRun& a, const PlacedRun& b) {
  if (!same_text(a.run.result, b.run.result)) return "text or settings";
  if (a.run.origin.device != b.run.origin.device) return "device " + b.run.origin.device;
  if (a.run.origin.seed != b.run.origin.seed) return fmt::format("seed {}", b.run.origin.seed);
  if (shard_of(a).count != shard_of(b).count)
    return fmt::format("a split in {}", shard_of(b).count);
  return {};
}

/// Where a shard is that would do but for what keeps it apart.
std::string elsewhere(const PlacedRun& wanted, std::uint64_t index,
                      const std::vector<ShardGroup>& all) {
  for (const ShardGroup& group : all)
    for (const PlacedRun& placed : group.shards) {
      if (name_of_experiment(placed) != name_of_experiment(wanted)) continue;
      const std::string apart = apart_by(wanted, placed);
      const bool same_split = shard_of(placed).count == shard_of(wanted).count;
      if (apart.empty() || (same_split && shard_of(placed).index != index)) continue;
      return fmt::format("{} has shard {} with another run's {}", place_of(placed),
                         to_string(shard_of(placed)), apart);
    }
  return {};
}

/// Both have measured the same with the same.
Result<void> check_alike(const PlacedRun& first, const PlacedRun& other) {
  const auto refuse = [&](const std::string& what, const std::string& a, const std::string& b) {
    return fail(Fault::input,
                fmt::format("{} was measured with another {} than {}: {}, and {} there",
                            name_of(other), what, place_of(first), b, a));
  };
  if (first.run.result.gpx != other.run.result.gpx)
    return refuse("version of gpx", first.run.result.gpx, other.run.result.gpx);
  for (std::size_t i = 0; i < first.run.result.experiments.size(); ++i) {
    const ExperimentResult &a = first.run.result.experiments[i],
                           &b = other.run.result.experiments[i];
    if (a.build != b.build) return refuse("build of gpx", a.build, b.build);
    if (a.device.name != b.device.name || a.device.kind != b.device.kind)
      return refuse("device", a.device.name, b.device.name);
    if (a.device.uuid != b.device.uuid) return refuse("board", a.device.uuid, b.device.uuid);
    if (a.device_file != b.device_file) return refuse("device file", a.device_file, b.device_file);
    if (a.compiler != b.compiler) return refuse("compiler", a.compiler, b.compiler);
    if (a.all_blocks != b.all_blocks) return refuse("use of --whole", "", "");
    if (a.ir != b.ir || a.artifacts != b.artifacts)
      return fail(Fault::input,
                  fmt::format("{} has other kernels than {}", name_of(other), place_of(first)),
                  "a file that the experiment names changed between the two");
  }
  return {};
}

/// A shard has measured all of its points, alone on its device.
Result<void> check_complete(const PlacedRun& placed) {
  std::uint64_t points = 0, total = 0;
  bool whole = placed.run.origin.status == "complete";
  for (const ExperimentResult& each : placed.run.result.experiments) {
    points += each.points;
    total += each.points_total;
    whole &= each.whole();
    if (each.co_runner.seen() || each.co_runner.processes > 0 || each.co_runner.voided > 0)
      return fail(
          Fault::input,
          fmt::format("{} was measured with another process on the device", name_of(placed)),
          fmt::format("gpx rerun --store {} {}", placed.store, placed.run.number));
  }
  if (whole) return {};
  return fail(Fault::input,
              fmt::format("{} is not complete: {} of {} points", name_of(placed), points, total),
              fmt::format("gpx resume --store {} {}", placed.store, placed.run.number));
}

Result<void> check_same_samples(const PlacedRun& first, const PlacedRun& other) {
  for (std::size_t i = 0; i < first.run.result.experiments.size(); ++i)
    if (to_csv(first.run.result.experiments[i].samples) !=
        to_csv(other.run.result.experiments[i].samples))
      return fail(Fault::input,
                  fmt::format("{} and {} measured the same points, with different samples",
                              name_of(first), place_of(other)),
                  "name only one of the two");
  return {};
}

/// Each shard once, in order.
Result<std::vector<const PlacedRun*>> ordered(const ShardGroup& group,
                                              const std::vector<ShardGroup>& all) {
  const PlacedRun& first = group.shards.front();
  const std::uint64_t count = shard_of(first).count;
  std::map<std::uint64_t, const PlacedRun*> by_index;
  for (const PlacedRun& placed : group.shards) {
    GPX_TRY(check_complete(placed));
    if (placed.run.result.experiments.size() != first.run.result.experiments.size())
      return fail(Fault::input, fmt::format("{} has {} experiments, and {} has {}", name_of(placed),
                                            placed.run.result.experiments.size(), place_of(first),
                                            first.run.result.experiments.size()));
    GPX_TRY(check_alike(first, placed));
    const auto [known, added] = by_index.emplace(shard_of(placed).index, &placed);
    if (added) continue;
    GPX_TRY(check_same_samples(*known->second, placed));
  }
  std::string missing;
  std::optional<std::uint64_t> first_missing;
  constexpr std::size_t kListed = 10;
  std::size_t listed = 0;
  for (std::uint64_t index = 1; index <= count && by_index.size() < count; ++index) {
    if (by_index.contains(index)) continue;
    if (!first_missing) first_missing = index;
    if (++listed <= kListed) missing += fmt::format("{}{}", listed > 1 ? ", " : "", index);
  }
  if (first_missing)
    return fail(
        Fault::input,
        fmt::format("{} on {} ({}): of {} shards {} {} missing: {}{}", name_of_experiment(first),
                    first.run.origin.device, place_of(first), count, count - by_index.size(),
                    count - by_index.size() == 1 ? "is" : "are", missing,
                    listed > kListed ? ", …" : ""),
        elsewhere(first, *first_missing, all));
  std::vector<const PlacedRun*> shards;
  for (const auto& [index, placed] : by_index) shards.push_back(placed);
  return shards;
}

/// What a shard warned of that the run itself will not, as it is about the shard's measurement.
std::vector<std::string> own_warnings(const std::vector<const PlacedRun*>& shards,
                                      std::size_t experiment) {
  const auto warnings = [&](const PlacedRun* placed) -> const std::vector<std::string>& {
    return placed->run.result.experiments[experiment].warnings;
  };
  std::vector<std::string> own;
  for (const PlacedRun* shard : shards)
    for (const std::string& warning : warnings(shard)) {
      const bool in_all = std::ranges::all_of(
          shards, [&](const PlacedRun* other) { return contains(warnings(other), warning); });
      if (!in_all) own.push_back(fmt::format("shard {}: {}", to_string(shard_of(*shard)), warning));
    }
  return own;
}

report::RunOrigin origin_of(const std::vector<const PlacedRun*>& shards) {
  report::RunOrigin origin = shards.front()->run.origin;
  std::string ids;
  for (const PlacedRun* shard : shards) {
    ids += shard->run.origin.id;
    origin.started = std::min(origin.started, shard->run.origin.started);
    origin.ended = std::max(origin.ended, shard->run.origin.ended);
  }
  // A letter first, as every id.
  origin.id = fmt::format("a{:015x}", XXH3_64bits(ids.data(), ids.size()) >> 4);
  origin.status = "interrupted";
  return origin;
}

}  // namespace

const Shard* shard_of(const RunResult& run) {
  if (run.experiments.empty() || run.experiments.front().shard.is_whole()) return nullptr;
  return &run.experiments.front().shard;
}

std::vector<ShardGroup> group_shards(std::vector<PlacedRun> runs) {
  std::vector<ShardGroup> groups;
  for (PlacedRun& run : runs) {
    const auto group = std::ranges::find_if(groups, [&](const ShardGroup& each) {
      const PlacedRun& first = each.shards.front();
      return same_text(first.run.result, run.run.result) && apart_by(first, run).empty();
    });
    if (group == groups.end())
      groups.push_back({{std::move(run)}});
    else
      group->shards.push_back(std::move(run));
  }
  return groups;
}

Result<StoredRun> join_shards(const ShardGroup& group, const std::vector<ShardGroup>& all) {
  const auto shards = GPX_TRY(ordered(group, all));
  StoredRun joined;
  joined.origin = origin_of(shards);
  const RunResult& first = shards.front()->run.result;
  joined.result.gpx = first.gpx;
  joined.result.sources = first.sources;
  joined.result.settings = first.settings;
  joined.result.interrupted = true;
  for (std::size_t i = 0; i < first.experiments.size(); ++i) {
    std::vector<const ExperimentResult*> parts;
    for (const PlacedRun* shard : shards) parts.push_back(&shard->run.result.experiments[i]);
    auto experiment = join_rows(parts);
    if (!experiment) {
      experiment.error().diagnostics.front().message.insert(
          0, fmt::format("{} ({}): ", first.experiments[i].experiment.name,
                         place_of(*shards.front())));
      return tl::unexpected(experiment.error());
    }
    experiment->warnings = own_warnings(shards, i);
    joined.result.experiments.push_back(std::move(*experiment));
  }
  return joined;
}

}  // namespace gpx::store
