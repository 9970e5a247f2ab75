// Round-robin execution of a grid. Interface: run.h. Covered by tests/vgpu/exec_control_test.cpp.
#include "runtime/device/vgpu/exec/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace gpx::vgpu::exec {
class BlockRunner::Runner {
 public:
  Runner(Executor& executor, const RunLimits& limits, Observer* observer)
      : executor_(executor), limits_(limits), observer_(observer) {}

  // With the other blocks of its cluster, which are executed and not observed.
  tl::expected<void, Trap> block(const std::array<std::uint32_t, 3>& index) {
    start(index);
    for (bool left = true; left;) {
      left = false;
      bool moved = false;
      for (Together& one : together_)
        for (Warp& warp : one.block.warps) {
          if (warp.exited()) continue;
          left = true;
          if (warp.at_barrier) continue;
          moved = true;
          if (auto ok = turn(warp, one.barriers); !ok) return ok;
        }
      if (left && !moved) return tl::unexpected(deadlock());
    }
    return {};
  }

  RunReport report;

 private:
  /// The barriers of one block: how many threads have arrived, and how many it takes.
  class Barriers {
   public:
    Barriers(Block& block, Model model) : block_(block), model_(model) {}

    void arrive(const Effect& effect) {
      State& state = states_[effect.barrier_id];
      state.wanted = effect.barrier_threads;
      state.arrived += effect.barrier_arrivals;
      release(effect.barrier_id);
    }

    /// Threads have left: a barrier of the whole block no longer waits for them.
    void leave() {
      for (std::uint32_t id = 0; id < states_.size(); ++id) {
        if (states_[id].arrived) release(id);
      }
    }

   private:
    struct State {
      std::uint32_t arrived = 0, wanted = 0;  ///< Threads, in whole warps; 0 wanted: the block.
    };

    void release(std::uint32_t id) {
      State& state = states_[id];
      std::uint64_t wanted = state.wanted;
      if (wanted == 0 && model_ == Model::independent) wanted = block_.live_threads;
      if (wanted == 0) {
        wanted = kWarpSize * static_cast<std::uint64_t>(
                                 std::count_if(block_.warps.begin(), block_.warps.end(),
                                               [](const Warp& w) { return !w.exited(); }));
      }
      if (state.arrived < wanted) return;
      state = {};
      for (Warp& warp : block_.warps) release_barrier(warp, id);
    }

    Block& block_;
    Model model_;
    std::array<State, 16> states_{};
  };

  struct Together {
    explicit Together(Model model) : barriers(block, model) {}
    Block block;
    Barriers barriers;
  };

  void start(const std::array<std::uint32_t, 3>& index) {
    const Grid& grid = executor_.grid();
    const std::uint32_t blocks = std::max(grid.cluster_blocks(), 1u);
    while (together_.size() < blocks) together_.emplace_back(executor_.model());
    cluster_ = {};
    observed_ = 0;
    for (std::uint32_t rank = 0; rank < blocks; ++rank) {
      Block& block = together_[rank].block;
      const std::array<std::uint32_t, 3> at = grid.clustered() ? of_rank(grid, index, rank) : index;
      executor_.start(block, at);
      if (at == index) observed_ = rank;
      if (!grid.clustered()) continue;
      block.cluster = &cluster_;
      block.rank = rank;
      cluster_.blocks.push_back(&block);
    }
  }

  void settle_cluster() {
    if (!cluster_.complete()) return;
    for (Together& one : together_)
      for (Warp& warp : one.block.warps) release_barrier(warp, kClusterBarrier);
  }

  tl::expected<void, Trap> turn(Warp& warp, Barriers& barriers) {
    for (std::uint32_t k = 0; k < limits_.turn; ++k) {
      env_.clock = ++report.warp_instructions;
      env_.nanoseconds = env_.clock;
      if (report.warp_instructions > limits_.warp_instructions) {
        return tl::unexpected(Trap{fmt::format("the kernel executed more than {} warp instructions",
                                               limits_.warp_instructions),
                                   executor_.next(warp).line});
      }
      const ptx::Instruction& instruction = executor_.next(warp);
      const int line = instruction.line;
      const Effect* const step = executor_.step(warp, env_);
      if (!step) return tl::unexpected(executor_.take_trap());
      const Effect& effect = *step;
      if (observer_ && warp.block == &together_[observed_].block)
        observer_->on_step(instruction, effect);
      if (effect.barrier) barriers.arrive(effect), barrier_line_ = line;
      if (effect.cluster_waits) barrier_line_ = line;
      if (effect.left) barriers.leave();
      if (effect.left || effect.cluster_arrivals > 0) settle_cluster();
      if (effect.exited) return {};
      if (warp.at_barrier) break;
    }
    return {};
  }

  Trap deadlock() const {
    const auto waits = [](const Warp& w) { return !w.exited(); };
    const auto one = std::ranges::find_if(together_, [&](const Together& each) {
      return std::ranges::any_of(each.block.warps, waits);
    });
    const Block& block = one->block;
    const auto warp = std::ranges::find_if(block.warps, waits);
    return {fmt::format("deadlock: warp {} of block ({}, {}, {}) waits at a barrier for warps that "
                        "never come",
                        warp->id, block.index[0], block.index[1], block.index[2]),
            barrier_line_};
  }

  Executor& executor_;
  RunLimits limits_;
  Observer* observer_;
  Env env_;
  std::deque<Together> together_;  ///< The blocks of a cluster, by rank; without: one.
  Cluster cluster_;
  std::uint32_t observed_ = 0;  ///< Of the blocks, the one that was asked for.
  int barrier_line_ = 0;        ///< Of the last barrier that a warp came to.
};

BlockRunner::BlockRunner(Executor& executor, const RunLimits& limits, Observer* observer)
    : runner_(std::make_unique<Runner>(executor, limits, observer)) {}
BlockRunner::~BlockRunner() = default;

tl::expected<void, Trap> BlockRunner::block(const std::array<std::uint32_t, 3>& index) {
  return runner_->block(index);
}

const RunReport& BlockRunner::report() const {
  return runner_->report;
}

tl::expected<RunReport, Trap> run(Executor& executor, const Grid& grid, const RunLimits& limits) {
  BlockRunner runner(executor, limits);
  for (std::uint32_t z = 0; z < grid.blocks[2]; ++z) {
    for (std::uint32_t y = 0; y < grid.blocks[1]; ++y) {
      for (std::uint32_t x = 0; x < grid.blocks[0]; ++x) {
        const std::array<std::uint32_t, 3> index{x, y, z};
        if (grid.clustered() && of_rank(grid, index, 0) != index) continue;  // of one that was run
        if (auto ok = runner.block(index); !ok) return tl::unexpected(std::move(ok.error()));
      }
    }
  }
  return runner.report();
}

}  // namespace gpx::vgpu::exec
