// Interface: footprint.h. Covered by tests/runtime/footprint_test.cpp.
#include "runtime/device/vgpu/counts/footprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/counts/number_table.h"
#include "runtime/device/vgpu/exec/run.h"

namespace gpx::vgpu {
namespace {

using BlockIndex = std::array<std::uint32_t, 3>;
/// By number: where in its warp's course it is loaded first, from 0 to 1.
using SectorPlaces = NumberTable<double>;

constexpr std::uint64_t kMostFarBlocks = 4096;
constexpr unsigned kNearest = 1;  ///< Blocks so far away are neighbours.

/// The sectors that blocks load or do atomics on, until they are taken.
class SectorReads final : public exec::Observer {
 public:
  explicit SectorReads(std::uint64_t bytes) : bytes_(bytes) {}

  void on_step(const exec::Warp& warp, const ptx::Instruction&,
               const exec::Effect& effect) override {
    if (effect.retried) return;
    if (&warp != last_warp_) last_warp_ = &warp, last_steps_ = &steps_[&warp];
    const double step = ++*last_steps_;
    longest_ = std::max(longest_, step);
    unknown_ |= effect.ranges != nullptr;
    if (effect.active == 0 || effect.space != ptx::Space::global) return;
    if (effect.is_store && !effect.is_atomic) return;
    std::uint64_t last = ~std::uint64_t{0};
    for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t sector = (*effect.addresses)[lane] / bytes_;
      if (sector != last) seen_.add(sector, step);
      last = sector;
    }
  }
  bool unknown() const { return unknown_; }
  SectorPlaces take() {
    for (auto& [sector, place] : seen_.entries()) place /= longest_;
    steps_.clear();
    last_warp_ = nullptr;
    longest_ = 0;
    return std::exchange(seen_, {});
  }

 private:
  std::uint64_t bytes_;  // of a sector
  SectorPlaces seen_;
  std::unordered_map<const exec::Warp*, double> steps_;  // that each has executed
  const exec::Warp* last_warp_ = nullptr;                // warps take turns of many steps
  double* last_steps_ = nullptr;
  double longest_ = 0;
  bool unknown_ = false;
};

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

/// Blocks of one kind, seen from the base: how many there are, and what those executed share.
struct Stratum {
  double blocks = 0;  ///< In the grid.
  double executed = 0;
  std::vector<double> hits;  ///< By buffer: sectors of the base that executed ones load.
};

class FootprintRun {
 public:
  FootprintRun(const KernelCounter::Impl& kernel, const codegen::Launch& launch,
               const FootprintOptions& options)
      : launch_(launch),
        options_(options),
        counted_(kernel.module, *kernel.entry, launch),
        grid_{launch.blocks, launch.blocks_down, launch.blocks_deep},
        reads_(options.sector) {
    counted_.executor().leave_values_out(kernel.touched(launch).both() != 0);
    exec::RunLimits limits;
    limits.stop = options.stop;
    runner_.emplace(counted_.executor(), limits, &reads_);
    for (unsigned axis = 0; axis < 3; ++axis) base_[axis] = grid_[axis] / 2;
    loaded_.assign(launch.fills.size(), 0);
    const std::uint64_t bytes = options.sector;
    for (std::size_t b = 0; b < launch.fills.size(); ++b) {
      const std::uint64_t begin = counted_.addresses()[b];
      const std::uint64_t end = (begin + launch.fills[b].bytes + bytes - 1) / bytes;
      sectors_of_.emplace_back(begin / bytes, end - begin / bytes);
    }
  }

  std::vector<double> sectors() {
    if (!begin() || !near() || !far() || reads_.unknown()) return {};
    const std::size_t buffers = launch_.fills.size();
    std::vector<double> alone(buffers, 0), all = alone, others;
    for (std::size_t b = 0; b < buffers; ++b) others.push_back(far_of(b));
    for (std::size_t i = 0; i < base_sectors_.size(); ++i) {
      const auto buffer = buffers_[i];
      if (!buffer) continue;
      alone[*buffer] += 1 / (1 + near_[i] + others[*buffer]);
      ++all[*buffer];
    }
    for (std::size_t b = 0; b < buffers; ++b) {
      const double loaded = static_cast<double>(launch_.all_blocks()) * loaded_[b] / executed_;
      alone[b] = all[b] > 0 ? loaded * alone[b] / all[b] : loaded;
    }
    return alone;
  }

 private:
  std::optional<SectorPlaces> execute(const BlockIndex& index) {
    if (const auto ok = runner_->block(index); !ok) return std::nullopt;
    SectorPlaces seen = reads_.take();
    for (const auto& [sector, place] : seen.entries())
      if (const auto buffer = buffer_of(sector)) ++loaded_[*buffer];
    ++executed_;
    return seen;
  }

  std::optional<std::size_t> buffer_of(std::uint64_t sector) const {
    for (std::size_t b = 0; b < sectors_of_.size(); ++b)
      if (sector - sectors_of_[b].first < sectors_of_[b].second) return b;
    return std::nullopt;
  }

  bool begin() {
    const auto seen = execute(base_);
    if (!seen) return false;
    // In an order of its own, by which the last digits of sums go.
    std::unordered_map<std::uint64_t, double> mixed;
    for (const auto& [sector, place] : seen->entries()) mixed.try_emplace(sector, place);
    base_sectors_.assign(mixed.begin(), mixed.end());
    for (const auto& [sector, place] : base_sectors_) buffers_.push_back(buffer_of(sector));
    near_.resize(base_sectors_.size());
    return true;
  }

  bool near() {
    for (unsigned axis = 0; axis < 3; ++axis)
      for (const int step : {-1, 1}) {
        BlockIndex index = base_;
        index[axis] += static_cast<std::uint32_t>(step);
        if (index[axis] >= grid_[axis]) continue;
        const auto seen = execute(index);
        if (!seen) return false;
        for (std::size_t i = 0; i < base_sectors_.size(); ++i)
          near_[i] += shares(*seen, i, index) ? 1 : 0;
      }
    return true;
  }

  /// The block loads the base's sector while a cache has what the other one loaded. Blocks of a
  /// wave begin together; the others when those before have ended.
  bool shares(const SectorPlaces& seen, std::size_t sector, const BlockIndex& index) const {
    const double* const found = seen.find(base_sectors_[sector].first);
    if (!found) return false;
    const std::uint64_t a = number_of(index), b = number_of(base_);
    const std::uint64_t apart = std::max(a, b) - std::min(a, b);
    const double course = std::abs(*found - base_sectors_[sector].second);
    const double time = apart < options_.wave ? course * static_cast<double>(options_.wave)
                                              : static_cast<double>(apart);
    return time <= options_.kept;
  }

  std::uint64_t number_of(const BlockIndex& index) const {
    return index[0] + std::uint64_t{grid_[0]} * (index[1] + std::uint64_t{grid_[1]} * index[2]);
  }

  /// Of each axis one after another, and one off all of them, while the budget lasts.
  bool far() {
    const std::size_t buffers = launch_.fills.size();
    double axes = 1;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const double others = std::max(grid_[axis] - 1.0 - 2 * kNearest, 0.0);
      strata_[axis].blocks = others;
      axes += grid_[axis] - 1.0;
    }
    strata_[3].blocks = static_cast<double>(launch_.all_blocks()) - axes;
    for (Stratum& each : strata_) each.hits.assign(buffers, 0);
    constexpr std::uint64_t kFewestRounds = 2;
    for (std::uint64_t k = 0; k < kMostFarBlocks; ++k) {
      if (k >= kFewestRounds && runner_->report().warp_instructions > options_.instructions) break;
      for (unsigned kind = 0; kind < strata_.size(); ++kind)
        if (strata_[kind].blocks > 0 && !far_block(kind)) return false;
    }
    return true;
  }

  bool far_block(unsigned kind) {
    BlockIndex index = base_;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (axis == kind) index[axis] = far_place(axis);
    if (kind == 3) {
      do {
        for (unsigned axis = 0; axis < 3; ++axis) index[axis] = spread_.below(grid_[axis]);
      } while (axes_apart(index) < 2);
    }
    const auto seen = execute(index);
    if (!seen) return false;
    ++strata_[kind].executed;
    for (std::size_t i = 0; i < base_sectors_.size(); ++i)
      if (buffers_[i] && shares(*seen, i, index)) ++strata_[kind].hits[*buffers_[i]];
    return true;
  }

  std::uint32_t far_place(unsigned axis) {
    std::uint32_t at = base_[axis];
    while (at + kNearest >= base_[axis] && at <= base_[axis] + kNearest)
      at = spread_.below(grid_[axis]);
    return at;
  }

  int axes_apart(const BlockIndex& index) const {
    int apart = 0;
    for (unsigned axis = 0; axis < 3; ++axis) apart += index[axis] != base_[axis];
    return apart;
  }

  /// Blocks further away that load a sector of the base's, in the mean over the buffer.
  double far_of(std::size_t buffer) const {
    const auto base = static_cast<double>(std::ranges::count(buffers_, std::optional(buffer)));
    double others = 0;
    for (const Stratum& each : strata_)
      if (each.executed > 0 && base > 0)
        others += each.blocks * each.hits[buffer] / each.executed / base;
    return others;
  }

  const codegen::Launch& launch_;
  const FootprintOptions& options_;
  CountedLaunch counted_;
  BlockIndex grid_, base_{};
  SectorReads reads_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sectors_of_;  ///< By buffer: first, count.
  std::optional<exec::BlockRunner> runner_;
  std::vector<std::pair<std::uint64_t, double>> base_sectors_;
  std::vector<std::optional<std::size_t>> buffers_;  ///< Of the base's sectors.
  std::vector<double> near_;                         ///< Neighbours that load them, too.
  std::array<Stratum, 4> strata_;                    ///< Far along each axis; off all of them.
  std::vector<double> loaded_;                       ///< By buffer, of all executed blocks.
  double executed_ = 0;
  Spread spread_;
};

}  // namespace

std::vector<double> footprint_of(const KernelCounter& kernel, const codegen::Launch& launch,
                                 const FootprintOptions& options) {
  if (misfit(*kernel.impl().entry, launch) || launch.all_blocks() == 0) return {};
  return FootprintRun(kernel.impl(), launch, options).sectors();
}

}  // namespace gpx::vgpu
