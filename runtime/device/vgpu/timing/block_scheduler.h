// BlockScheduler: hands out the blocks of a grid, in order, one each `interval` clocks; or a sample
// of them.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/timing/grid_sample.h"

namespace gpx::vgpu::timing {

class BlockScheduler {
 public:
  /// In clusters, those of a cluster follow each other by rank.
  BlockScheduler(const exec::Grid& grid, double interval)
      : grid_(grid),
        count_(std::uint64_t{grid.blocks[0]} * grid.blocks[1] * grid.blocks[2]),
        end_(count_),
        interval_(interval) {}

  /// Only the blocks of a sample, on one of so many SMs; it must outlive this.
  void sample(GridSample& sample, std::uint64_t of_sms) {
    sample_ = &sample;
    interval_ *= static_cast<double>(of_sms);
  }

  /// Of a grid on `sms` SMs only the blocks that come to `part` of them: a block of each round.
  /// `sample` numbers these alone.
  /// `first`: the first of these SMs, where each keeps its own blocks of all rounds.
  void part(GridSample& sample, std::uint64_t part, std::uint64_t sms,
            std::optional<std::uint64_t> first) {
    sample_ = &sample;
    part_ = part, sms_ = sms, first_ = first;
    interval_ *= static_cast<double>(sms) / static_cast<double>(part);
  }
  /// Of a grid in clusters only those that come to `part` of so many SMs. They lie evenly over it,
  /// as those of a GPC do.
  void clusters_of_part(std::uint64_t part, std::uint64_t sms) {
    const std::uint64_t clusters = count_ / grid_.cluster_blocks();
    const auto some = static_cast<std::uint64_t>(
        static_cast<double>(clusters) * static_cast<double>(part) / static_cast<double>(sms) + 0.5);
    end_ = std::max<std::uint64_t>(some, 1) * grid_.cluster_blocks();
    interval_ *= static_cast<double>(count_) / static_cast<double>(end_);
  }
  /// How many blocks these are.
  static std::uint64_t blocks_of_part(std::uint64_t blocks, std::uint64_t part, std::uint64_t sms,
                                      std::uint64_t first) {
    const std::uint64_t rest = blocks % sms;
    return blocks / sms * part + std::min(rest - std::min(rest, first), part);
  }

  std::uint64_t count() const { return count_; }
  /// Blocks that no SM has taken; of a grid that runs as a whole.
  std::uint64_t left() const { return count_ - next_; }
  /// That some SM has taken.
  std::uint64_t taken() const { return next_; }
  /// No block is left for an SM that has room since `clk`.
  bool empty(Clk clk) const { return sample_ ? sample_->empty(clk) : next_ == end_; }

  /// From now on blocks start in places that others have left, which stay empty for so long.
  void refill_in(Clk clocks) { refill_ = clocks; }

  struct Start {
    std::uint64_t number;  ///< In the grid.
    std::array<std::uint32_t, 3> index;
    Clk clk;
    std::uint64_t turn;  ///< How many blocks were taken before.
  };
  /// The next block and when it starts, on an SM that has had room for it since `clk`.
  Start take(Clk clk) {
    const std::uint64_t turn = next_++, taken = sample_ ? sample_->take(clk) : turn;
    const std::uint64_t i = part_ > 0 ? of_part(taken) : taken;
    const Clk ready = clk + refill_, at = std::max(ready, static_cast<Clk>(free_));
    free_ = std::max(free_, static_cast<double>(ready)) + interval_;
    if (!grid_.clustered()) return {i, spread(i, grid_.blocks), at, turn};
    const std::uint32_t ranks = grid_.cluster_blocks();
    std::array<std::uint32_t, 3> clusters{};
    for (std::size_t axis = 0; axis < clusters.size(); ++axis)
      clusters[axis] = grid_.blocks[axis] / grid_.cluster[axis];
    const std::uint64_t cluster = i / ranks * count_ / end_;
    std::array<std::uint32_t, 3> index = spread(cluster, clusters);
    for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] *= grid_.cluster[axis];
    index = exec::of_rank(grid_, index, static_cast<std::uint32_t>(i % ranks));
    const auto& [x, y, z] = index;
    return {x + grid_.blocks[0] * (y + std::uint64_t{grid_.blocks[1]} * z), index, at, turn};
  }

 private:
  // Neighbours of each round; which, changes from round to round: a grid's columns may differ.
  std::uint64_t of_part(std::uint64_t taken) const {
    const std::uint64_t round = taken / part_, first = round * sms_,
                        blocks = std::min(sms_, count_ - first);
    if (first_) return first + *first_ + taken % part_;
    const auto turn = round == 0 ? 0 : even_place(round) * static_cast<double>(blocks);
    return first + (taken % part_ + static_cast<std::uint64_t>(turn)) % blocks;
  }
  static std::array<std::uint32_t, 3> spread(std::uint64_t i,
                                             const std::array<std::uint32_t, 3>& extents) {
    return {static_cast<std::uint32_t>(i % extents[0]),
            static_cast<std::uint32_t>(i / extents[0] % extents[1]),
            static_cast<std::uint32_t>(i / extents[0] / extents[1])};
  }

  exec::Grid grid_;
  std::uint64_t count_, end_, next_ = 0;
  GridSample* sample_ = nullptr;
  std::uint64_t part_ = 0, sms_ = 0;  // 0: blocks of all SMs
  std::optional<std::uint64_t> first_;
  double interval_;
  Clk refill_ = 0;
  double free_ = 0;  // when the next start is possible
};

}  // namespace gpx::vgpu::timing
