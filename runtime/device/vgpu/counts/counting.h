// Counting: what each executed instruction counts as, block by block. Interface of
// kernel_counts.cpp and count_run.cpp. Covered by tests/vgpu/kernel_counts_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/counts/number_table.h"
#include "runtime/device/vgpu/counts/sharing.h"
#include "runtime/device/vgpu/exec/run.h"
#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu {

class Counting : public exec::Observer {
 public:
  /// `sharing` may be nullptr.
  Counting(CoalescingRule rule, const exec::Grid& grid, Sharing* sharing)
      : rule_(rule), grid_(grid), sharing_(sharing) {}

  void on_step(const exec::Warp& warp, const ptx::Instruction& instruction,
               const exec::Effect& effect) override {
    if (effect.retried) return;
    BlockState& block = state_of(*warp.block);
    ++block.instructions;
    mark_executed(instruction, effect);
    if (sharing_) sharing_->see(block.unit, instruction, effect);
    count(block, instruction, effect);
    if (effect.exited) end_of_warp(*warp.block);
  }

  /// The PTX lines that were executed by some lane.
  bool executed(int line) const {
    const auto at = static_cast<std::size_t>(line);
    return at < executed_.size() && executed_[at];
  }

  unsigned banks() const {
    const bool first = rule_ == CoalescingRule::in_order || rule_ == CoalescingRule::segments;
    return first ? exec::kWarpSize / 2 : exec::kWarpSize;
  }

  CountTotals totals;
  std::vector<SampledBlock> blocks;  ///< That have ended: their instructions.

 private:
  struct Nothing {};
  struct BlockState {
    std::uint64_t number = 0, unit = 0;  ///< In the grid; of its cluster, or of itself.
    std::uint64_t instructions = 0;
    NumberTable<Nothing> loaded;  ///< Lines.
  };

  std::uint64_t number_of(const std::array<std::uint32_t, 3>& index) const {
    return index[0] + grid_.blocks[0] * (index[1] + std::uint64_t{grid_.blocks[1]} * index[2]);
  }

  /// Warps of one block follow each other.
  BlockState& state_of(const exec::Block& block) {
    if (last_ == &block) return *last_state_;
    last_ = &block;
    auto& state = running_[&block];
    if (!state) {
      state = std::make_unique<BlockState>();
      state->number = number_of(block.index);
      state->unit = grid_.clustered() ? state->number / grid_.cluster_blocks() : state->number;
    }
    return *(last_state_ = state.get());
  }

  void end_of_warp(const exec::Block& block) {
    const auto over = [](const exec::Warp& warp) { return warp.exited(); };
    if (!std::ranges::all_of(block.warps, over)) return;
    const BlockState& state = *last_state_;
    blocks.push_back({state.number, static_cast<double>(state.instructions)});
    running_.erase(&block);
    last_ = nullptr;
  }

  void mark_executed(const ptx::Instruction& instruction, const exec::Effect& effect) {
    if (effect.active == 0) return;
    const auto line = static_cast<std::size_t>(instruction.line);
    if (line >= executed_.size()) executed_.resize(2 * line + 1);
    executed_[line] = true;
  }

  void count(BlockState& block, const ptx::Instruction& instruction, const exec::Effect& effect) {
    const bool outside = effect.space == ptx::Space::global || effect.space == ptx::Space::local;
    const ptx::Unit unit = instruction.unit;
    if (instruction.folds) {
      ++totals.folded;
    } else if (!outside || effect.active == 0) {
      totals.compute(effect.barrier);
      totals.slow += unit == ptx::Unit::fp64 || unit == ptx::Unit::sfu;
      if (effect.space == ptx::Space::shared && effect.active != 0) shared(effect);
    } else {
      totals.atomics += effect.is_atomic;
      // The hardware interleaves local memory by lane: an access of a warp is always together.
      const bool local = effect.space == ptx::Space::local;
      totals.access(rule_, {effect.active, effect.bytes, passes_l1(instruction)},
                    local ? nullptr : effect.addresses);
      if (!local && !effect.is_store) load(block, effect);
    }
  }

  /// The lines of an access, each once; those that the block has loaded before.
  void load(BlockState& block, const exec::Effect& effect) {
    constexpr unsigned kLineShift = 7;
    std::array<std::uint64_t, exec::kWarpSize> lines;
    auto end = lines.begin();
    for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1)
      *end++ = (*effect.addresses)[static_cast<unsigned>(std::countr_zero(rest))] >> kLineShift;
    std::sort(lines.begin(), end);
    end = std::unique(lines.begin(), end);
    for (auto line = lines.begin(); line != end; ++line) {
      ++totals.lines_loaded;
      totals.lines_reloaded += !block.loaded.add(*line, {});
    }
  }

  /// Passes beyond the first: as many lanes as there are banks are served at a time, each bank with
  /// one word of 4 bytes a pass; an atomic takes one for each lane. Wider words are not judged.
  void shared(const exec::Effect& effect) {
    ++totals.shared_accesses;
    if (effect.bytes > 4) return;
    const unsigned count = banks();
    for (unsigned first = 0; first < exec::kWarpSize; first += count) {
      const auto lanes = static_cast<exec::Mask>(((std::uint64_t{1} << count) - 1) << first);
      totals.shared_conflicts += passes(effect, effect.active & lanes, count) - 1;
    }
  }

  /// The most words that the lanes want of one bank, or lanes that change one; at least 1. Words
  /// that lie closer together than there are banks, as most do, are in different ones.
  static unsigned passes(const exec::Effect& effect, exec::Mask active, unsigned count) {
    const exec::Lanes& addresses = *effect.addresses;
    std::uint64_t lowest = UINT64_MAX, highest = 0;
    for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
      const std::uint64_t word = addresses[static_cast<unsigned>(std::countr_zero(rest))] / 4;
      lowest = std::min(lowest, word), highest = std::max(highest, word);
    }
    if (active == 0 || (!effect.is_atomic && highest - lowest < count)) return 1;
    // Of each bank the lanes that brought a word of their own, as a list through `next`.
    std::array<std::uint8_t, exec::kWarpSize> head{}, next, words{};  // a lane + 1; a count
    unsigned most = 1;
    for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t word = addresses[lane] / 4;
      const auto bank = static_cast<unsigned>(word % count);
      unsigned at = effect.is_atomic ? 0u : head[bank];
      while (at != 0 && addresses[at - 1] / 4 != word) at = next[at - 1];
      if (at != 0) continue;
      next[lane] = head[bank];
      head[bank] = static_cast<std::uint8_t>(lane + 1);
      most = std::max<unsigned>(most, ++words[bank]);
    }
    return most;
  }

  CoalescingRule rule_;
  exec::Grid grid_;
  Sharing* sharing_;
  std::unordered_map<const exec::Block*, std::unique_ptr<BlockState>> running_;
  const exec::Block* last_ = nullptr;
  BlockState* last_state_ = nullptr;
  std::vector<bool> executed_;
};

}  // namespace gpx::vgpu
