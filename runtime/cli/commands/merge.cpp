// gpx merge: the runs of several stores in one, and shards as the runs that they are parts of.
// Covered by tests/cli/merge_command_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/merging.h"
#include "runtime/cli/stored.h"
#include "runtime/store/place.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

struct MergeCommand : ReportOptions {
  std::vector<std::string> stores;
  std::string output;

  void take(CommandLine& line) {
    line.argument("STORE", stores, "Stores with runs, such as those of gpx run --shard")
        .required()
        .completes(Values::files);
    line.option("--output,-o", output, "STORE", "Where the runs go (default: the user's store)")
        .completes(Values::files);
    ReportOptions::take(line);
  }
  Result<int> run(const Console& console) const;
};

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || fs::equivalent(a, b, none);
}

/// What is added to the store at `target`.
struct Merged {
  struct Copied {
    std::size_t store;  ///< Of the stores that were opened.
    std::int64_t number;
    std::string id;
  };
  struct Joined {
    store::StoredRun run;
    std::uint64_t shards = 0;
  };
  std::string target;
  std::vector<store::Store> stores;
  std::vector<Copied> copied;
  std::vector<Joined> joined;
};

/// No store is named twice.
Result<std::vector<store::Store>> open_all(const std::vector<std::string>& names) {
  std::vector<store::Store> stores;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(names[i], names[j]))
        return fail(Fault::input, fmt::format("the store '{}' is named twice", names[i]));
    auto opened = GPX_TRY(store::Store::open(names[i], false));
    stores.push_back(std::move(opened));
  }
  return stores;
}

std::string place_of(const store::Store& store, std::int64_t run) {
  return fmt::format("run {} of '{}'", run, store.path());
}

/// Runs that are no shards, as they are. No run is in two stores.
Result<void> list_copied(Merged& merged) {
  std::map<std::string, std::string> places;  // By id.
  for (std::size_t i = 0; i < merged.stores.size(); ++i) {
    const store::Store& store = merged.stores[i];
    const auto entries = store.runs({.limit = 0, .device = {}, .experiment = {}});
    const auto shards = store.shards();
    if (!entries) return tl::unexpected(entries.error());
    if (!shards) return tl::unexpected(shards.error());
    for (auto entry = entries->rbegin(); entry != entries->rend(); ++entry) {
      const std::string here = place_of(store, entry->number);
      const auto [known, added] = places.emplace(entry->origin.id, here);
      if (!added)
        return fail(
            Fault::input,
            fmt::format("{} and {} are the same run, {}", known->second, here, entry->origin.id),
            "name only one of the two stores");
      if (!shards->contains(entry->number) && !same_file(store.path(), merged.target))
        merged.copied.push_back({i, entry->number, entry->origin.id});
    }
  }
  if (places.empty()) return fail(Fault::input, "the stores hold no runs");
  return {};
}

Result<void> join_all(Merged& merged) {
  std::vector<store::PlacedRun> shards;
  for (const store::Store& store : merged.stores) {
    auto more = GPX_TRY(shards_of_store(store));
    std::ranges::move(more, std::back_inserter(shards));
  }
  const auto groups = store::group_shards(std::move(shards));
  for (const store::ShardGroup& group : groups) {
    auto run = GPX_TRY(store::join_shards(group, groups));
    merged.joined.push_back({std::move(run), group.shards.size()});
  }
  return {};
}

Result<Merged> merge(const MergeCommand& command, const std::string& target) {
  auto stores = GPX_TRY(open_all(command.stores));
  Merged merged{target, std::move(stores), {}, {}};
  GPX_TRY(list_copied(merged));
  GPX_TRY(join_all(merged));
  return merged;
}

/// A run that is there already is an error before anything is written.
Result<void> check_new(const store::Store& target, const Merged& merged) {
  const auto check = [&](const std::string& id, const std::string& what) -> Result<void> {
    const auto there = GPX_TRY(target.number_of(id));
    if (there == 0) return {};
    return fail(Fault::input, fmt::format("{} is in the store '{}' already, as run {}", what,
                                          target.path(), there));
  };
  for (const Merged::Copied& run : merged.copied)
    GPX_TRY(check(run.id, place_of(merged.stores[run.store], run.number)));
  for (const Merged::Joined& each : merged.joined)
    GPX_TRY(check(each.run.origin.id, "what these shards are parts of"));
  return {};
}

Result<int> MergeCommand::run(const Console& console) const {
  const store::Place place = store::find_place(output);
  if (place.path.empty()) return fail(Fault::input, "there is no store to merge into", "-o STORE");
  auto merged = GPX_TRY(merge(*this, place.path));
  const auto target = GPX_TRY(open_store(StoreOptions{output}, true));
  GPX_TRY(check_new(target, merged));
  for (const Merged::Copied& copied : merged.copied) {
    const store::Store& from = merged.stores[copied.store];
    auto run = GPX_TRY(from.load(copied.number));
    GPX_TRY(from.load_probes(run));
    const auto number = GPX_TRY(target.import_run({std::move(run.result), std::move(run.origin)}));
    if (!quiet)
      print(console.out, fmt::format("run {}: {}\n", number, place_of(from, copied.number)));
  }
  int status = kSuccess;
  for (Merged::Joined& each : merged.joined)
    status =
        worse(status, keep_joined(std::move(each.run), each.shards, place.path, *this, console));
  return status;
}

}  // namespace

CommandRow merge_command() {
  return command_row<MergeCommand>(145, "merge", "Join the stores and shards of one measurement");
}

}  // namespace gpx::cli
