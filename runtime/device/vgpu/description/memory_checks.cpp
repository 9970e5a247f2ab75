// Geometry, policies, order of latencies, sections that need others. Interface: memory_checks.h.
// Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/memory_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "lang/lists.h"
#include "runtime/device/vgpu/description/fields.h"
#include "runtime/device/vgpu/exec/executor.h"

namespace gpx::vgpu::timing {
namespace {

constexpr std::uint64_t kMostCacheLines = 4'000'000;

using CacheLevel = Description::Cache;

class Checker {
 public:
  Checker(Description& device, const MemoryCheck& check) : device_(device), check_(check) {}

  void run() {
    check_tables();
    power_of_two("coalescer.line", device_.coalescer_line);
    check_data_cache("l2", device_.l2, 1);
    if (device_.partitions) check_partitions(*device_.partitions);
    check_data_cache("l1", device_.l1, copies(Description::Scope::sm));
    check_levels("constant", device_.constant.level);
    if (device_.instruction) check_instruction();
    if (device_.texture) check_levels("texture", device_.texture->level);
    check_tlbs("tlb", device_.translation);
    check_tlbs("texture_tlb", device_.texture_translation);
    check_sections();
    check_shared();
    check_latencies();
  }

 private:
  template <class... Args>
  void mistake(const std::string& path, fmt::format_string<Args...> format, Args&&... args) {
    check_.mistake(path, fmt::format(format, std::forward<Args>(args)...));
  }
  bool sound(std::initializer_list<std::string> paths) const {
    return std::all_of(paths.begin(), paths.end(), check_.sound);
  }

  void check_tables() {
    if (device_.mshr && device_.prt) mistake("prt", "a device has \"mshr\" or \"prt\", not both");
    if (sound({"noise.outlier", "noise.outlier_probability"}) &&
        device_.noise.outlier_probability > 0 && device_.noise.outlier == 0)
      mistake("noise", "\"noise.outlier_probability\" needs \"noise.outlier\", too");
  }

  bool power_of_two(const std::string& path, std::uint64_t value) {
    if (!sound({path})) return false;
    if (std::has_single_bit(value)) return true;
    mistake(path, "\"{}\" is {} B, not a power of two", path, value);
    return false;
  }

  std::uint64_t copies(Description::Scope scope) const {
    return sound({"sm.count", "sm.per_tpc", "sm.per_gpc"}) ? device_.sm.copies(scope) : 1;
  }

  // --- one cache ---

  /// `size`: the field that gives the capacity; `line`: that of the line.
  bool check_cache(const std::string& name, CacheLevel& cache, std::uint64_t copies,
                   const char* size = "capacity", const char* line = "line") {
    const std::string capacity = name + "." + size, ways = name + ".ways";
    const std::string sizes = name + ".set_sizes", line_path = name + "." + line;
    if (!sound({capacity, ways, sizes, line_path})) return false;
    if (!power_of_two(line_path, cache.line)) return false;
    if (!check_geometry(name, cache, capacity, ways, size)) return false;
    if (cache.lines() * copies > kMostCacheLines) {
      mistake(capacity, "\"{}\" makes {} lines over the device; the most is {}", capacity,
              cache.lines() * copies, kMostCacheLines);
      return false;
    }
    return check_set_bits(name, cache) && check_policy(name, cache);
  }

  bool check_geometry(const std::string& name, CacheLevel& cache, const std::string& capacity,
                      const std::string& ways, const char* size) {
    if (!cache.set_sizes.empty()) {
      if (check_.given(capacity) || check_.given(ways)) {
        mistake(name + ".set_sizes", "\"{}.set_sizes\" takes the place of {} and ways", name, size);
        return false;
      }
      cache.capacity = cache.line * std::accumulate(cache.set_sizes.begin(), cache.set_sizes.end(),
                                                    std::uint64_t{0});
      cache.ways = *std::max_element(cache.set_sizes.begin(), cache.set_sizes.end());
      return true;
    }
    const bool translations = std::string_view(size) == "entries";
    if (cache.capacity == 0) mistake(name, "\"{}\" is missing", capacity);
    if (cache.ways == 0 && !translations) mistake(name, "\"{}\" is missing", ways);
    if (cache.capacity == 0) return false;
    if (cache.ways == 0 && translations) cache.ways = static_cast<std::uint32_t>(cache.lines());
    if (cache.ways == 0) return false;
    const std::uint64_t row = cache.line * cache.ways;
    if (cache.capacity % row == 0) return true;
    if (translations)
      mistake(capacity, "\"{}\" is {}, not a multiple of ways ({})", capacity, cache.lines(),
              cache.ways);
    else
      mistake(capacity, "\"{}\" is {} B, not a multiple of line times ways ({} B)", capacity,
              cache.capacity, row);
    return false;
  }

  bool outside_line(const std::string& path, std::uint64_t mask, std::uint64_t line) {
    if ((mask & (line - 1)) == 0) return true;
    mistake(path, "\"{}\" has bit {}, which lies inside a line of {} B", path,
            std::countr_zero(mask), line);
    return false;
  }

  bool check_set_bits(const std::string& name, const CacheLevel& cache) {
    const std::string path = name + ".set_bits";
    if (cache.set_modulo && cache.set_bits.empty())
      mistake(name + ".set_choice", "\"{}.set_choice\" needs \"{}\"", name, path);
    if (cache.set_bits.empty()) return true;
    for (const std::uint64_t mask : cache.set_bits)
      if (!outside_line(path, mask, cache.line)) return false;
    const std::uint64_t numbers = std::uint64_t{1} << cache.set_bits.size();
    const std::uint64_t sets = cache.sets() / (cache.side_bits != 0 ? 2 : 1);
    if (cache.set_modulo ? numbers >= sets : numbers == sets) return true;
    mistake(path, "\"{}\" has {} bits for {} sets{}", path, cache.set_bits.size(), sets,
            cache.side_bits != 0 ? " of a partition" : "");
    return false;
  }

  bool check_policy(const std::string& name, const CacheLevel& cache) {
    const Policy& policy = *find_policy(cache.policy);
    for (const Policy* other : policies())
      if (other != &policy) check_fields_of(*other, name, cache);
    for (const PolicyField& field : policy.fields)
      if (field.fallback.empty() && cache.policy_settings.count(field.name) == 0) {
        mistake(name + ".policy", "the policy {} needs \"{}.{}\"", policy.name, name, field.name);
        return false;
      }
    if (!policy.check) return true;
    const auto wrong = policy.check(cache.shape(), name);
    if (wrong) mistake(name + "." + wrong->field, "{}", wrong->message);
    return true;
  }

  // A word that is the fallback says nothing.
  void check_fields_of(const Policy& policy, const std::string& name, const CacheLevel& cache) {
    for (const PolicyField& field : policy.fields) {
      const auto given = cache.policy_settings.find(field.name);
      if (given == cache.policy_settings.end() ||
          (field.kind == PolicyField::Kind::word && given->second.front() == 0))
        continue;
      mistake(name + "." + std::string(field.name), "\"{}.{}\" is for the policy {}", name,
              field.name, policy.name);
    }
  }

  // --- hierarchies ---

  void check_data_cache(const std::string& name, std::optional<CacheLevel>& cache,
                        std::uint64_t copies) {
    if (!cache) return;
    const std::string line = name + ".line", sector = name + ".sector";
    if (power_of_two(line, cache->line) && sound({"coalescer.line"}) &&
        cache->line < device_.coalescer_line)
      mistake(line, "\"{}\" is {} B, smaller than coalescer.line ({} B)", line, cache->line,
              device_.coalescer_line);
    if (!check_cache(name, *cache, copies) || cache->sector == 0) return;
    if (!power_of_two(sector, cache->sector)) return;
    if (cache->sector > cache->line || cache->sector < device_.coalescer_line ||
        cache->line / cache->sector > kMostSectors)
      mistake(sector,
              "\"{}\" is {} B, outside coalescer.line ({} B) to the line ({} B), or less "
              "than an eighth of it",
              sector, cache->sector, device_.coalescer_line, cache->line);
  }

  void check_partitions(const Description::Partitions& partitions) {
    if (!device_.l2) return mistake("l2_partitions", "\"l2_partitions\" needs \"l2\"");
    const CacheLevel& l2 = *device_.l2;
    if (sound({"l2_partitions.extra"}) && partitions.given != partitions.extra.size())
      mistake("l2_partitions.extra", "\"l2_partitions.extra\" has {} values, not 4",
              partitions.given);
    if (!partitions.sides.empty() && sound({"sm.count", "sm.per_tpc"}) &&
        partitions.sides.size() != device_.sm.tpcs())
      mistake("l2_partitions.sides", "\"l2_partitions.sides\" has {} values for {} TPCs",
              partitions.sides.size(), device_.sm.tpcs());
    if (sound({"l2_partitions.side_bits", "l2.line"}))
      outside_line("l2_partitions.side_bits", l2.side_bits, l2.line);
    if (!l2.set_sizes.empty())
      mistake("l2.set_sizes", "\"l2_partitions\" needs sets of equal size");
    else if (sound({"l2.capacity", "l2.ways", "l2.line"}) && l2.capacity != 0 && l2.ways != 0 &&
             l2.sets() % 2 != 0)
      mistake("l2.capacity", "\"l2\" has {} sets, which make no two partitions", l2.sets());
  }

  void check_distances() {
    const auto& distances = device_.slice_distances;
    if (distances.empty() != device_.slice_bits.empty())
      return mistake("interconnect",
                     "\"interconnect.slice_bits\" and \"interconnect.distances\" belong together");
    if (distances.empty() || !sound({"sm.count", "sm.per_tpc"})) return;
    const std::string path = "interconnect.distances";
    if (distances.size() != device_.sm.tpcs())
      return mistake(path, "\"{}\" has {} lists for {} TPCs", path, distances.size(),
                     device_.sm.tpcs());
    const std::size_t slices = distances.front().size();
    for (const auto& row : distances)
      if (row.size() != slices)
        return mistake(path, "\"{}\" has lists of {} and of {} slices", path, slices, row.size());
    const std::size_t bits = device_.slice_bits.size();
    if (std::uint64_t{1} << bits < slices)
      mistake("interconnect.slice_bits", "\"interconnect.slice_bits\" has {} bits for {} slices",
              bits, slices);
  }

  template <std::size_t levels>
  void check_levels(const std::string& name, Description::Levels<levels>& caches) {
    for (std::size_t k = 0; k < levels; ++k) {
      const std::string here = fmt::format("{}_l{}", name, k + 1);
      if (!caches[k]) continue;
      check_order(here, name, k, k == 0 || caches[k - 1]);
      check_cache(here, *caches[k], copies(caches[k]->scope));
    }
  }

  void check_order(const std::string& here, const std::string& name, std::size_t k, bool before) {
    if (!before) mistake(here, "\"{}\" needs \"{}_l{}\" before it", here, name, k);
  }

  void check_instruction() {
    auto& instruction = *device_.instruction;
    if (sound({"instruction.fetch"}) && !std::has_single_bit(instruction.fetch))
      power_of_two("instruction.fetch", instruction.fetch);
    for (std::size_t k = 0; k < instruction.level.size(); ++k) {
      const std::string here = fmt::format("instruction_l{}", k + 1);
      if (!instruction.level[k]) continue;
      check_order(here, "instruction", k, k == 0 || instruction.level[k - 1]);
      if (instruction.same_as[k] >= 0)
        share(here, *instruction.level[k], static_cast<std::size_t>(instruction.same_as[k]));
      else if (check_code_cache(here))
        check_cache(here, *instruction.level[k], copies(instruction.level[k]->scope));
    }
  }

  bool check_code_cache(const std::string& here) {
    bool complete = true;
    for (const char* name : {"line", "scope"}) {
      if (check_.given(here + "." + name)) continue;
      mistake(here, "\"{}.{}\" is missing", here, name);
      complete = false;
    }
    return complete;
  }

  void share(const std::string& here, CacheLevel& code, std::size_t level) {
    for (const Field& field : fields()) {
      const std::string path(field.path);
      if (!path.starts_with(here + ".") || path.ends_with(".latency") ||
          path.ends_with(".same_as") || !check_.given(path))
        continue;
      mistake(path, "\"{}\" is given by constant_l{}, which \"{}\" is", path, level + 1, here);
    }
    const auto& constant = device_.constant.level[level];
    if (!constant) {
      mistake(here + ".same_as", "\"{}.same_as\": there is no constant_l{}", here, level + 1);
      return;
    }
    const double latency = code.latency;
    code = *constant;
    code.latency = latency;
  }

  void check_tlbs(const std::string& name, Description::Translation& translation) {
    for (std::size_t k = 0; k < translation.tlb.size(); ++k) {
      auto& tlb = translation.tlb[k];
      const std::string here = fmt::format("{}_l{}", name, k + 1);
      if (!tlb) continue;
      check_order(here, name, k, k == 0 || translation.tlb[k - 1]);
      check_cache(here, *tlb, copies(tlb->scope), "entries", "page");
    }
  }

  void check_sections() {
    for (const char* name : {"texture", "instruction"}) {
      const std::string section = name, first = section + "_l1";
      const bool any =
          check_.given(first) || check_.given(section + "_l2") || check_.given(section + "_l3");
      if (any && !check_.given(section)) mistake(first, "\"{}\" needs \"{}\"", first, section);
      if (check_.given(section) && !any) mistake(section, "\"{}\" needs \"{}\"", section, first);
    }
    if (device_.unified_texture && device_.texture)
      mistake(
          "l1.texture_extra",
          "\"l1.texture_extra\" reads textures through L1: there is no section \"texture\" then");
    check_distances();
    check_fills();
    check_queues();
    if (device_.page_window.bytes != 0 && !device_.translation.tlb[0])
      mistake("page_window", "\"page_window\" needs \"tlb_l1\"");
    const auto& offsets = device_.interconnect_offsets;
    if (!offsets.empty() && sound({"sm.count", "sm.per_tpc"}) &&
        offsets.size() != device_.sm.tpcs())
      mistake("interconnect.offsets", "\"interconnect.offsets\" has {} values for {} TPCs",
              offsets.size(), device_.sm.tpcs());
  }

  // Rows of DRAM and what a fill takes of one that is read whole; parts of sectors.
  void check_fills() {
    const Description::Dram& dram = device_.dram;
    if (check_.given("dram.row") != check_.given("dram.activate"))
      mistake(check_.given("dram.row") ? "dram.row" : "dram.activate",
              "\"dram.row\" and \"dram.activate\" need each other");
    else if (dram.row > 0 && power_of_two("dram.row", dram.row) && sound({"dram.departure"}))
      check_opening(dram);
    if (device_.l2_fills && device_.l2 && device_.l2->sector == 0)
      mistake("l2.part_stores", "\"l2.part_stores\" needs \"l2.sector\"");
  }

  void check_opening(const Description::Dram& dram) {
    const double opening =
        dram.activate * static_cast<double>(device_.fill_bytes()) / static_cast<double>(dram.row);
    const auto clocks = [](double value) { return format_value(FieldKind::time, value); };
    if (dram.departure < opening)
      mistake("dram.activate",
              "\"dram.activate\" is {} for {} B, {} of each fill: more than dram.departure ({})",
              clocks(dram.activate), dram.row, clocks(opening), clocks(dram.departure));
  }

  void check_units(const std::vector<std::uint32_t>& bits) {
    const char* path = "atomics.unit_bits";
    if (!bits.empty() && !device_.slices) mistake(path, "\"{}\" needs \"l2_slices\"", path);
    if (std::ranges::adjacent_find(bits, std::greater_equal<>()) != bits.end())
      mistake(path, "\"{}\" names bits of an address, the lowest first", path);
  }

  void check_queues() {
    if (device_.slices && !device_.l2) mistake("l2_slices", "\"l2_slices\" needs \"l2\"");
    if (device_.slices && !device_.slices->distances.empty() && sound({"l2_slices.count"}) &&
        device_.slices->distances.size() != device_.slices->count)
      mistake("l2_slices.distances", "\"l2_slices.distances\" has {} values for {} slices",
              device_.slices->distances.size(), device_.slices->count);
    if (device_.atomics) check_units(device_.atomics->unit_bits);
    if (!device_.memory_queue || device_.memory_queue->line == 0) return;
    const std::string line = "memory_queue.line";
    if (power_of_two(line, device_.memory_queue->line) && sound({"coalescer.line"}) &&
        device_.memory_queue->line < device_.coalescer_line)
      mistake(line, "\"{}\" is {} B, less than coalescer.line ({} B)", line,
              device_.memory_queue->line, device_.coalescer_line);
  }

  void check_shared() {
    const auto& shared = device_.shared;
    if (sound({"shared.lanes"}) && exec::kWarpSize % shared.lanes != 0)
      mistake("shared.lanes", "\"shared.lanes\" is {}, which does not divide a warp", shared.lanes);
    if (sound({"shared.width", "shared.word"}) &&
        (!std::has_single_bit(shared.width) || !std::has_single_bit(shared.word) ||
         shared.word > shared.width))
      mistake("shared.word", "\"shared.word\" is {} B, which does not divide shared.width ({} B)",
              shared.word, shared.width);
    for (const std::uint32_t mode : shared.modes)
      if (sound({"shared.width", "shared.modes"}) &&
          (!std::has_single_bit(mode) || mode > shared.width)) {
        mistake("shared.modes",
                "\"shared.modes\" has {} B, which does not divide shared.width ({} B)", mode,
                shared.width);
        break;
      }
    if (shared.splits.empty() && device_.l1_unified > 0)
      mistake("l1.unified",
              "\"l1.unified\" needs \"shared.splits\": what a launch can give to shared memory");
    if (!shared.splits.empty() && sound({"shared.splits", "sm.shared", "l1.capacity", "l1.ways"}))
      check_splits();
  }

  static std::vector<std::string_view> policies_of_any_ways() {
    std::vector<std::string_view> names;
    for (const Policy* policy : policies())
      if (policy->any_ways) names.push_back(policy->name);
    return names;
  }

  // The sets of L1 stay; its ways follow.
  void check_splits() {
    const std::string path = "shared.splits";
    if (!device_.l1 || device_.l1->capacity == 0)
      return mistake(path, "\"{}\" needs \"l1\", which has the rest", path);
    const CacheLevel& l1 = *device_.l1;
    if (device_.l1_unified > 0) return check_unified();
    if (!l1.set_sizes.empty() || !find_policy(l1.policy)->any_ways)
      return mistake(path,
                     "\"{}\" changes the ways of L1: it needs equal sets and a policy that takes "
                     "any number of ways: {}",
                     path, fmt::join(policies_of_any_ways(), ", "));
    const std::uint64_t way = l1.line * l1.sets(), all = l1.capacity + device_.sm.shared_bytes;
    for (const std::uint64_t split : device_.shared.splits)
      if (split >= all || (all - split) % way != 0)
        return mistake(
            path, "\"{}\" has {} B, which leaves L1 {} of {} B: not a multiple of a way ({} B)",
            path, split, split < all ? all - split : 0, all, way);
    if (!contains(device_.shared.splits, device_.sm.shared_bytes))
      mistake(path, "\"{}\" lacks sm.shared ({} B), which a program gets by default", path,
              device_.sm.shared_bytes);
  }

  // What the largest split leaves is a line at least.
  void check_unified() {
    const auto& splits = device_.shared.splits;
    const std::uint64_t most = *std::ranges::max_element(splits), all = device_.l1_unified;
    if (most != device_.sm.shared_bytes)
      return mistake("shared.splits",
                     "the largest of \"shared.splits\" is {} B, but an SM has {} B (sm.shared)",
                     most, device_.sm.shared_bytes);
    if (most + device_.l1_unused + device_.l1->line > all)
      mistake(
          "l1.unified",
          "\"l1.unified\" has {} B: with {} B of shared memory and {} B unused no line of L1 is "
          "left",
          all, most, device_.l1_unused);
  }

  // --- latencies ---

  // A latency holds what the load/store unit takes for one lane; each level is slower than the one
  // before it. `first`: the least that the first level may take.
  struct Ladder {
    double before = -1;
    std::string name{};
  };
  void step(Ladder& ladder, const std::string& path, double latency) {
    if (!sound({path})) return;
    if (std::ceil(latency) <= ladder.before && !ladder.name.empty())
      mistake(path, "\"{}\" is {}, not more than {} ({})", path,
              format_value(FieldKind::time, latency), ladder.name,
              format_value(FieldKind::time, ladder.before));
    ladder.before = std::ceil(latency);
    ladder.name = path;
  }

  void check_latencies() {
    const auto& lsu = device_.lsu;
    Ladder global;
    if (sound({"lsu.clocks_per_load", "lsu.clocks_per_lane", "lsu.writeback_per_lane"}))
      global = {
          std::ceil(lsu.clocks_per_load + lsu.clocks_per_lane) + std::ceil(lsu.writeback_per_lane),
          "what lsu takes for one lane"};
    if (device_.l1) step(global, "l1.latency", device_.l1->latency);
    if (device_.l2) step(global, "l2.latency", device_.l2->latency);
    const Ladder before = global;
    step(global, "dram.latency", device_.dram.latency);
    check_refresh(before.before, before.name);
    check_banks();
    check_ladder("constant", device_.constant.level, device_.constant);
    if (device_.instruction)
      check_ladder("instruction", device_.instruction->level, *device_.instruction);
    if (device_.texture) check_ladder("texture", device_.texture->level, *device_.texture);
    check_offsets();
  }

  // Unless the file gives it, `bank` is such that all banks together are as fast as `departure`.
  void check_banks() {
    Description::Dram& dram = device_.dram;
    if (!sound({"dram.banks", "dram.bank", "dram.gather"})) return;
    if (dram.bank > 0 && dram.banks == 0)
      return mistake("dram.bank", "\"dram.bank\" needs \"dram.banks\"");
    if (dram.gather > 0 && dram.banks == 0)
      return mistake("dram.gather", "\"dram.gather\" needs \"dram.banks\"");
    const double serving = dram.refresh > 0 ? 1 - dram.refresh / dram.refresh_every : 1;
    if (dram.bank == 0) dram.bank = dram.banks * dram.departure * serving;
  }

  // A tenth of the time where nothing is said: what an H200's first visits show.
  // `before`: what the level above DRAM takes, its field.
  void check_refresh(double before, const std::string& field) {
    Description::Dram& dram = device_.dram;
    if (dram.refresh_every == 0) dram.refresh_every = 10 * dram.refresh;
    const auto clocks = [](double value) { return format_value(FieldKind::time, value); };
    if (dram.refresh > 0 && dram.refresh >= dram.refresh_every)
      return mistake("dram.refresh_every",
                     "\"dram.refresh_every\" is {}, not more than dram.refresh ({})",
                     clocks(dram.refresh_every), clocks(dram.refresh));
    const double wait = std::round(dram.mean_wait());
    if (dram.refresh > 0 && sound({"dram.latency"}) && dram.latency - wait <= before)
      mistake("dram.refresh",
              "\"dram.refresh\" is {} of the {} of dram.latency in the mean; the rest is not more "
              "than {} ({})",
              clocks(wait), clocks(dram.latency), field, clocks(before));
  }

  template <std::size_t levels>
  void check_ladder(const std::string& name, const Description::Levels<levels>& caches,
                    const Description::Behind& behind) {
    Ladder ladder;
    for (std::size_t k = 0; k < levels; ++k)
      if (caches[k]) step(ladder, fmt::format("{}_l{}.latency", name, k + 1), caches[k]->latency);
    if (behind.l2_latency) step(ladder, name + ".l2_latency", *behind.l2_latency);
    step(ladder, name + ".latency", behind.latency);
  }

  void check_offsets() {
    if (device_.interconnect_offsets.empty() || !sound({"l2.latency", "dram.latency"})) return;
    const double least =
        *std::min_element(device_.interconnect_offsets.begin(), device_.interconnect_offsets.end());
    const auto fits = [&](double latency) {
      if (latency + least < 1)
        mistake("interconnect.offsets",
                "\"interconnect.offsets\" has {:g}, more than the {:g} "
                "clocks of an access that leaves the TPC",
                least, latency);
    };
    const auto& lsu = device_.lsu;
    const double unit =
        std::ceil(lsu.clocks_per_load + lsu.clocks_per_lane) + std::ceil(lsu.writeback_per_lane);
    fits((device_.l2 ? device_.l2->latency : device_.dram.latency) - unit);
    for (const auto& level : device_.constant.level)
      if (level && level->scope == Description::Scope::gpu) fits(level->latency);
  }

  Description& device_;
  const MemoryCheck& check_;
};

}  // namespace

void finish_memory(Description& device, const MemoryCheck& check) {
  Checker(device, check).run();
}

}  // namespace gpx::vgpu::timing
