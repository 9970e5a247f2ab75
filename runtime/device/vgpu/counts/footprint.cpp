// Interface: footprint.h. Covered by tests/runtime/footprint_test.cpp.
#include "runtime/device/vgpu/counts/footprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/counts/sector_accesses.h"
#include "runtime/device/vgpu/exec/run.h"

namespace gpx::vgpu {
namespace {

using BlockIndex = std::array<std::uint32_t, 3>;

constexpr std::uint64_t kMostFarBlocks = 4096;
constexpr unsigned kNearest = 1;  ///< Blocks so far away are neighbours.
/// By which blocks that began together are apart, of their course: their steps do not fall
/// together.
constexpr double kDrift = 0.125;
constexpr unsigned kQuarters = 4;  ///< Of a line, which stores fill.
/// Of its bytes, where a sample of the blocks says how many fill it.
constexpr double kFilled = 0.75;

/// Numbers that look random, the same ones each time.
class Spread {
 public:
  std::uint32_t below(std::uint32_t bound) {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = (state_ ^ state_ >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((z ^ z >> 31) % bound);
  }

 private:
  std::uint64_t state_ = 0;
};

/// Sectors or lines that the base accesses.
struct Item {
  std::uint64_t number = 0;
  std::size_t buffer = 0;
  double first = 0;               ///< In the block's course.
  std::vector<double> gaps = {};  ///< Before each of its accesses, in parts of the launch.
  std::vector<double> near = {};  ///< Of neighbours that access it, too: how much before or after.
  bool loaded = false, copied = false;
  double stored = 0, stored_parts = 0;  ///< Bytes, and the parts of a line that they are in.
};

/// A block's first access of a sector or a line of that number, at `time` of the launch.
struct FirstAccess {
  std::uint64_t number = 0;
  double time = 0;
  std::uint32_t buffer = 0, block = 0;
  bool operator<(const FirstAccess& other) const {
    return number != other.number ? number < other.number : time < other.time;
  }
};

/// Accesses to a buffer, each of which is seen from those of other blocks.
struct Pool {
  double accesses = 0;
  Times others;
};
/// By buffer, and by how many blocks access the same: the first entries of a tree, say, are apart
/// from its leaves.
using Pools = std::vector<std::array<Pool, 4>>;

/// Blocks of one kind, seen from the base: how many there are, and when those executed access what
/// the base does.
struct Stratum {
  double blocks = 0;  ///< In the grid.
  double executed = 0;
  std::vector<Times> sectors, lines;  ///< By buffer.
};

/// Who else accesses an item while the cache has it.
struct Others {
  double group = 0;    ///< At the same time.
  double density = 0;  ///< In all of the launch, at any time.
};

class FootprintRun {
 public:
  FootprintRun(const KernelCounter::Impl& kernel, const codegen::Launch& launch,
               const FootprintOptions& options)
      : launch_(launch),
        options_(options),
        counted_(kernel.module, *kernel.entry, launch),
        grid_{launch.blocks, launch.blocks_down, launch.blocks_deep},
        blocks_(static_cast<double>(launch.all_blocks())),
        wave_(std::min(static_cast<double>(options.wave), blocks_)),
        accesses_(options.sector) {
    counted_.executor().leave_values_out(kernel.touched(launch).both() != 0);
    exec::RunLimits limits;
    limits.stop = options.stop;
    runner_.emplace(counted_.executor(), limits, &accesses_);
    // Blocks of few waves begin together; those of many do so one after another.
    constexpr double kFewWaves = 2;
    in_waves_ = blocks_ <= kFewWaves * wave_;
    for (unsigned axis = 0; axis < 3; ++axis) base_[axis] = grid_[axis] / 2;
    sectors_loaded_.assign(launch.fills.size(), 0);
    lines_accessed_ = sectors_loaded_;
    const std::uint64_t bytes = options.sector * sectors_of_line();
    for (std::size_t b = 0; b < launch.fills.size(); ++b) {
      const std::uint64_t at = counted_.addresses()[b], first = at / bytes;
      lines_of_.emplace_back(first, (at + launch.fills[b].bytes + bytes - 1) / bytes - first);
    }
  }

  Footprint footprint() {
    if (!begin() || !near() || !far() || accesses_.unknown()) return {};
    Footprint made;
    made.lines = held(1);
    made.stays = made.lines < options_.cached;
    const double window = made.stays ? 1 : window_of(options_.cached);
    for (std::size_t b = 0; b < launch_.fills.size(); ++b)
      made.buffers.push_back(of_buffer(b, window));
    return made;
  }

 private:
  std::optional<Sectors> execute(const BlockIndex& index) {
    if (const auto ok = runner_->block(index); !ok) return std::nullopt;
    Sectors seen = accesses_.take();
    std::uint64_t last = ~std::uint64_t{0};
    std::vector<std::uint64_t> lines;
    for (const auto& [sector, of] : seen.entries()) {
      const auto buffer = buffer_of(sector);
      if (!buffer) continue;
      sectors_loaded_[*buffer] += of.loaded ? 1 : 0;
      const std::uint64_t line = line_of(sector);
      if (line != last) lines.push_back(line);
      last = line;
    }
    std::ranges::sort(lines);
    const auto rest = std::ranges::unique(lines);
    lines.erase(rest.begin(), rest.end());
    for (const std::uint64_t line : lines) ++lines_accessed_[*buffer_of(line * sectors_of_line())];
    ++executed_;
    return seen;
  }

  std::uint64_t sectors_of_line() const {
    return std::max<std::uint64_t>(options_.line / options_.sector, 1);
  }
  std::uint64_t line_of(std::uint64_t sector) const { return sector / sectors_of_line(); }

  // By the line: a buffer may begin within one.
  std::optional<std::size_t> buffer_of(std::uint64_t sector) const {
    const std::uint64_t line = line_of(sector);
    for (std::size_t b = 0; b < lines_of_.size(); ++b)
      if (line - lines_of_[b].first < lines_of_[b].second) return b;
    return std::nullopt;
  }

  bool begin() {
    accesses_.keep_all(true);
    const auto seen = execute(base_);
    accesses_.keep_all(false);
    if (!seen) return false;
    std::unordered_map<std::uint64_t, std::size_t> place;
    std::vector<std::vector<double>> of_line;
    for (const auto& [sector, of] : seen->entries()) {
      const auto buffer = buffer_of(sector);
      if (!buffer) continue;
      std::vector<double> when = {of.first};
      when.insert(when.end(), of.again.begin(), of.again.end());
      const auto [found, is_new] = place.try_emplace(line_of(sector), lines_.size());
      if (is_new) lines_.push_back({line_of(sector), *buffer, of.first}), of_line.emplace_back();
      Item& line = lines_[found->second];
      line.first = std::min(line.first, of.first);
      line.loaded |= of.loaded, line.copied |= of.copied;
      line.stored += of.stored;
      line.stored_parts += of.stored == 0 ? 0 : static_cast<double>(kQuarters) / sectors_of_line();
      auto& all = of_line[found->second];
      all.insert(all.end(), when.begin(), when.end());
      if (of.loaded) sectors_.push_back({sector, *buffer, of.first, gaps_of(std::move(when))});
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].gaps = gaps_of(std::move(of_line[i]));
    return true;
  }

  /// Before each of a block's accesses; before the first, from the last one of the launch before.
  std::vector<double> gaps_of(std::vector<double> when) const {
    std::ranges::sort(when);
    const double part = wave_ / blocks_;
    std::vector<double> gaps = {1 - (when.back() - when.front()) * part};
    for (std::size_t i = 1; i < when.size(); ++i) gaps.push_back((when[i] - when[i - 1]) * part);
    return gaps;
  }

  /// Those next to the base along one axis, and along two.
  bool near() {
    for (int k = 0; k < 27; ++k) {
      const std::array<int, 3> step = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      const auto moved = std::ranges::count_if(step, [](int along) { return along != 0; });
      if (moved == 0 || moved > 2) continue;
      BlockIndex index = base_;
      bool inside = true;
      for (unsigned axis = 0; axis < 3; ++axis) {
        index[axis] += static_cast<std::uint32_t>(step[axis]);
        inside &= index[axis] < grid_[axis];
      }
      if (!inside) continue;
      const auto seen = execute(index);
      if (!seen) return false;
      const auto add = [](Item& item, double apart) { item.near.push_back(apart); };
      for_shared(*seen, index, add, add);
    }
    return true;
  }

  /// The sectors and lines of the base that the block accesses, too, and how much of the launch
  /// lies between.
  template <class Sector, class Line>
  void for_shared(const Sectors& seen, const BlockIndex& index, Sector sector, Line line) {
    const std::uint64_t number = number_of(index), base = number_of(base_);
    const auto apart = [&](double first, double other) {
      return std::abs(time_of(number, other) - time_of(base, first));
    };
    for (Item& item : sectors_)
      if (const OfSector* const found = seen.find(item.number))
        sector(item, apart(item.first, found->first));
    const std::uint64_t each = sectors_of_line();
    for (Item& item : lines_) {
      double first = 2;
      for (std::uint64_t k = 0; k < each; ++k)
        if (const OfSector* const found = seen.find(item.number * each + k))
          first = std::min(first, found->first);
      if (first <= 1) line(item, apart(item.first, first));
    }
  }

  /// When a block is at such a place of its course, as a part of the launch.
  double time_of(std::uint64_t number, double course) const {
    const auto begun = static_cast<double>(number);
    return ((in_waves_ ? std::floor(begun / wave_) * wave_ : begun) + course * wave_) / blocks_;
  }

  std::uint64_t number_of(const BlockIndex& index) const {
    return index[0] + std::uint64_t{grid_[0]} * (index[1] + std::uint64_t{grid_[1]} * index[2]);
  }

  /// Of each axis one after another, and one off all of them, while the budget lasts.
  bool far() {
    if (std::ranges::count(grid_, 1u) >= 2) return pool();
    const std::size_t buffers = launch_.fills.size();
    double axes = 1;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const double others = std::max(grid_[axis] - 1.0 - 2 * kNearest, 0.0);
      strata_[axis].blocks = others;
      axes += grid_[axis] - 1.0;
    }
    strata_[3].blocks = blocks_ - axes;
    for (Stratum& each : strata_) each.sectors.resize(buffers), each.lines.resize(buffers);
    constexpr std::uint64_t kFewestRounds = 2;
    for (std::uint64_t k = 0; k < kMostFarBlocks; ++k) {
      if (k >= kFewestRounds && runner_->report().warp_instructions > options_.instructions) break;
      for (unsigned kind = 0; kind < strata_.size(); ++kind)
        if (strata_[kind].blocks > 0 && !far_block(kind)) return false;
    }
    return true;
  }

  /// Of a grid of one dimension blocks from anywhere, each seen from all the others.
  bool pool() {
    const auto all = static_cast<std::uint32_t>(launch_.all_blocks());
    if (all <= 1 + 2 * kNearest) return true;
    constexpr double kMostAccesses = 200'000;
    std::vector<FirstAccess> sectors, lines;
    std::unordered_set<std::uint32_t> drawn;
    double kept = 1;
    for (std::uint64_t k = 0; k < kMostFarBlocks; ++k) {
      const std::uint64_t before = runner_->report().warp_instructions;
      if (k >= 2 && before > options_.instructions) break;
      const std::uint32_t number = spread_.below(all);
      if (!drawn.insert(number).second) continue;
      const auto seen =
          execute({number % grid_[0], number / grid_[0] % grid_[1], number / grid_[0] / grid_[1]});
      if (!seen) return false;
      if (pooled_ == 0) {
        const auto own = static_cast<double>(runner_->report().warp_instructions - before);
        const double most =
            std::min(static_cast<double>(options_.instructions) / std::max(own, 1.0),
                     static_cast<double>(kMostFarBlocks));
        kept = kMostAccesses / std::max(most * static_cast<double>(seen->entries().size()), 1.0);
      }
      ++pooled_;
      late_ = kDrift * static_cast<double>(spread_.below(1024)) / 1024;
      note(*seen, number, kept, sectors, lines);
    }
    share(sectors, pool_sectors_);
    share(lines, pool_lines_);
    return true;
  }

  /// Of the lines, a part that their numbers decide.
  void note(const Sectors& seen, std::uint64_t number, double kept,
            std::vector<FirstAccess>& sectors, std::vector<FirstAccess>& lines) const {
    std::unordered_map<std::uint64_t, double> first;
    for (const auto& [sector, of] : seen.entries()) {
      const std::uint64_t line = line_of(sector);
      constexpr double kScale = 1.0 / 16777216.0;
      if (static_cast<double>(line * 0x9e3779b97f4a7c15ull >> 40) * kScale >= kept) continue;
      const auto buffer = buffer_of(sector);
      if (!buffer) continue;
      const double time = time_of(number, of.first + late_);
      if (of.loaded)
        sectors.push_back({sector, time, static_cast<std::uint32_t>(*buffer),
                           static_cast<std::uint32_t>(number)});
      const auto [found, is_new] = first.try_emplace(line, time);
      if (!is_new) found->second = std::min(found->second, time);
    }
    for (const auto& [line, time] : first)
      lines.push_back({line, time, static_cast<std::uint32_t>(*buffer_of(line * sectors_of_line())),
                       static_cast<std::uint32_t>(number)});
  }

  /// Up to 15 blocks, then each four times as many.
  static std::size_t kind_of(std::uint64_t blocks) {
    const int octaves = static_cast<int>(std::bit_width(blocks)) - 3;
    return static_cast<std::size_t>(std::clamp(octaves / 2, 0, 3));
  }

  void share(std::vector<FirstAccess>& accesses, Pools& pools) const {
    constexpr std::ptrdiff_t kMostSeen = 16;  // accesses of a sector from which all others are
    pools.assign(launch_.fills.size(), {});
    std::ranges::sort(accesses, std::less<>());
    for (auto begin = accesses.begin(); begin != accesses.end();) {
      const auto end = std::find_if(begin, accesses.end(), [&](const FirstAccess& each) {
        return each.number != begin->number;
      });
      const auto count = static_cast<double>(end - begin);
      Pool& pool = pools[begin->buffer][kind_of(static_cast<std::uint64_t>(count))];
      pool.accesses += count;
      const std::ptrdiff_t step = (end - begin + kMostSeen - 1) / kMostSeen;
      const double weight = count / static_cast<double>((end - begin + step - 1) / step);
      for (auto one = begin; one < end; one += std::min(step, end - one))
        for (auto other = begin; other < end; ++other) {
          if (std::max(one->block, other->block) - std::min(one->block, other->block) <= kNearest)
            continue;
          const double apart = std::abs(one->time - other->time);
          pool.others.add(std::min(apart, std::abs(1 - apart)), weight);
        }
      begin = end;
    }
  }

  bool far_block(unsigned kind) {
    BlockIndex index = base_;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (axis == kind) index[axis] = far_place(axis, strata_[kind].executed);
    if (kind == 3) {
      do {
        for (unsigned axis = 0; axis < 3; ++axis) index[axis] = spread_.below(grid_[axis]);
      } while (axes_apart(index) < 2);
    }
    const auto seen = execute(index);
    if (!seen) return false;
    Stratum& of = strata_[kind];
    ++of.executed;
    for_shared(
        *seen, index, [&](const Item& item, double apart) { of.sectors[item.buffer].add(apart); },
        [&](const Item& item, double apart) { of.lines[item.buffer].add(apart); });
    return true;
  }

  /// On either side of the base in turn, where both have some.
  std::uint32_t far_place(unsigned axis, double turn) {
    const std::uint32_t base = base_[axis], below = base - std::min(base, kNearest),
                        above = grid_[axis] - std::min(grid_[axis], base + kNearest + 1);
    const bool first = above == 0 || (below > 0 && std::fmod(turn, 2) == 0);
    return first ? spread_.below(below) : base + kNearest + 1 + spread_.below(above);
  }

  int axes_apart(const BlockIndex& index) const {
    int apart = 0;
    for (unsigned axis = 0; axis < 3; ++axis) apart += index[axis] != base_[axis];
    return apart;
  }

  static double items_of(const std::vector<Item>& items, std::size_t buffer) {
    return static_cast<double>(std::ranges::count(items, buffer, &Item::buffer));
  }

  /// Of accesses to a buffer the part that others see so.
  struct Kind {
    double part = 1;
    Others others;
  };
  using Kinds = std::vector<Kind>;

  Kinds kinds(bool of_lines, std::size_t buffer, double window) const {
    if (pooled_ > 0) return pooled(of_lines ? pool_lines_ : pool_sectors_, buffer, window);
    const double count = items_of(of_lines ? lines_ : sectors_, buffer);
    if (count == 0 || strata_[3].sectors.empty()) return {Kind{}};
    return {{1, others_of(window, [&](double apart) {
               double sum = 0;
               for (const Stratum& each : strata_)
                 if (each.executed > 0)
                   sum += each.blocks / each.executed / count *
                          (of_lines ? each.lines : each.sectors)[buffer].until(apart);
               return sum;
             })}};
  }

  Kinds pooled(const Pools& pools, std::size_t buffer, double window) const {
    Kinds made;
    double all = 0;
    for (const Pool& each : pools[buffer]) all += each.accesses;
    for (const Pool& each : pools[buffer])
      if (each.accesses > 0)
        made.push_back({each.accesses / all, others_of(window, [&](double apart) {
                          return each.others.until(apart) / each.accesses * blocks_ / pooled_;
                        })});
    return made.empty() ? Kinds{Kind{}} : made;
  }

  /// What lies in the outer three quarters of the window before and after is there at any time; of
  /// the inner quarter, what is more than that is of the base's group. Others lie up to half of a
  /// launch away.
  template <class Until>
  static Others others_of(double window, Until until) {
    const double outer = std::min(window, 0.5), inner = outer / 4;
    const double near = until(inner), density = (until(outer) - near) / (2 * (outer - inner));
    return {std::max(near - density * 2 * inner, 0.0), density};
  }

  /// Of an item's own accesses, those that come so late that the cache has lost it; where it loses
  /// nothing, the first one.
  static double late(const Item& item, double window) {
    if (window >= 1) return 1;
    return static_cast<double>(
        std::ranges::count_if(item.gaps, [&](double gap) { return gap >= window; }));
  }

  static double near_of(const Item& item, double window) {
    return static_cast<double>(
        std::ranges::count_if(item.near, [&](double apart) { return apart <= window; }));
  }

  static double misses(const Item& item, const Kinds& kinds, double window) {
    double sum = 0;
    for (const Kind& each : kinds) {
      const double together = 1 + near_of(item, window) + each.others.group;
      sum += each.part * (window >= 1 ? 1 / (together + each.others.density)
                                      : std::exp(-each.others.density * window) / together);
    }
    return late(item, window) * sum;
  }

  Footprint::OfBuffer of_buffer(std::size_t b, double window) const {
    Footprint::OfBuffer made;
    const Kinds of_sectors = kinds(false, b, window), of_lines = kinds(true, b, window);
    double parts = 0, lacking = 0, group = 0;
    for (const Kind& each : of_lines) group += each.part * each.others.group;
    for (const Item& item : sectors_)
      if (item.buffer == b) made.fetched += misses(item, of_sectors, window);
    for (const Item& item : lines_) {
      if (item.buffer != b || item.stored == 0) continue;
      const double left = misses(item, of_lines, window);
      const double writers = 1 + near_of(item, window) + group;
      const double of_all = std::min(item.stored_parts * writers, static_cast<double>(kQuarters));
      const double bytes = static_cast<double>(options_.line) / kQuarters;
      made.stored += left;
      parts += left * of_all;
      const bool filled = item.stored * writers >= kFilled * of_all * bytes;
      if (!item.loaded && !filled) lacking += left * of_all;
    }
    if (made.stored > 0) made.parts = parts / made.stored, made.lacking = lacking / made.stored;
    made.fetched *= of_grid(sectors_loaded_[b], items_of(sectors_, b));
    made.stored *= of_grid(lines_accessed_[b], items_of(lines_, b));
    return made;
  }

  /// By what the base's are multiplied: blocks of the mean.
  double of_grid(double executed, double of_base) const {
    return of_base > 0 ? blocks_ * executed / executed_ / of_base : 0;
  }

  /// Lines that are accessed in such a part of the launch, and their copies.
  double held(double window) const {
    double sum = 0;
    for (std::size_t b = 0; b < launch_.fills.size(); ++b) {
      const Kinds all = kinds(true, b, window);
      double of_base = 0;
      for (const Item& item : lines_)
        if (item.buffer == b)
          for (const Kind& each : all) of_base += each.part * held_of(item, each.others, window);
      sum += of_base * of_grid(lines_accessed_[b], items_of(lines_, b));
    }
    return sum;
  }

  // A line that is loaded lies in the other half, too, if one of its group is there: half of the
  // blocks are. What finds a copy does not ask for the line.
  double held_of(const Item& item, const Others& far, double window) const {
    const double group = 1 + near_of(item, window) + far.group;
    const double apart = static_cast<double>(item.near.size()) - near_of(item, window);
    const double all = far.density + apart, groups = all / group * window;
    double covered = 0;
    for (const double gap : item.gaps) covered += std::min(gap, window);
    covered = std::min(covered, 1.0);
    const auto part_held = [&](double part, double asked) {
      return 1 - (1 - covered * part) * std::exp(-groups * asked);
    };
    if (!options_.copies || !item.copied) return part_held(1, 1) / (group + all);
    const double there = 1 - std::exp2(-group),
                 asks = there + (1 - there) * std::exp(-groups * there);
    return (part_held(1, asks) + part_held(there, there)) / (group + all);
  }

  double window_of(double lines) const {
    double low = 0, high = 1;
    constexpr int kHalvings = 20;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (held(middle) <= lines ? low : high) = middle;
    }
    return high;
  }

  const codegen::Launch& launch_;
  const FootprintOptions& options_;
  CountedLaunch counted_;
  BlockIndex grid_, base_{};
  double blocks_, wave_;
  bool in_waves_ = false;
  SectorAccesses accesses_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lines_of_;  ///< By buffer: first, count.
  std::optional<exec::BlockRunner> runner_;
  std::vector<Item> sectors_, lines_;                    ///< Of the base: loaded, and all.
  std::array<Stratum, 4> strata_;                        ///< Far along each axis; off all of them.
  std::vector<double> sectors_loaded_, lines_accessed_;  ///< By buffer, of all executed blocks.
  double executed_ = 0;
  Pools pool_sectors_, pool_lines_;
  double pooled_ = 0;  ///< Blocks of them.
  double late_ = 0;    ///< The last one, against those that began with it: a part of its course.
  Spread spread_;
};

}  // namespace

Footprint footprint_of(const KernelCounter& kernel, const codegen::Launch& launch,
                       const FootprintOptions& options) {
  if (misfit(*kernel.impl().entry, launch) || launch.all_blocks() == 0) return {};
  return FootprintRun(kernel.impl(), launch, options).footprint();
}

}  // namespace gpx::vgpu
