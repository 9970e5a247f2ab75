// Round-robin execution of blocks. Interface: run.h. Covered by tests/vgpu/exec_control_test.cpp.
#include "runtime/device/vgpu/exec/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "lang/try.h"
#include "runtime/device/vgpu/exec/supervisor.h"

namespace gpx::vgpu::exec {
namespace {

/// Rounds of turns in which no block has ended, after which as many more join those that run: a
/// block of a few thousand instructions of each warp ends alone, in the host's caches.
constexpr unsigned kPatience = 64;

}  // namespace

class BlockRunner::Runner {
  /// The barriers of one block: how many threads have arrived, and how many it takes.
  class Barriers {
   public:
    Barriers(Block& block, Model model) : block_(&block), model_(model) {}

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
      if (wanted == 0 && model_ == Model::independent) wanted = block_->live_threads;
      if (wanted == 0) {
        wanted = kWarpSize * static_cast<std::uint64_t>(
                                 std::count_if(block_->warps.begin(), block_->warps.end(),
                                               [](const Warp& w) { return !w.exited(); }));
      }
      if (state.arrived < wanted) return;
      state = {};
      for (Warp& warp : block_->warps) release_barrier(warp, id);
    }

    Block* block_;
    Model model_;
    std::array<State, 16> states_{};
  };

  struct Member {
    explicit Member(Model model) : barriers(block, model) {}
    Block block;
    Barriers barriers;
    bool observed = true;
  };

  /// The blocks of a cluster, by rank; without clusters one.
  struct Team {
    std::deque<Member> members;
    Cluster cluster;

    bool ended() const {
      return std::ranges::all_of(members, [](const Member& one) {
        return std::ranges::all_of(one.block.warps, [](const Warp& w) { return w.exited(); });
      });
    }
    void settle_cluster() {
      if (!cluster.complete()) return;
      for (Member& one : members)
        for (Warp& warp : one.block.warps) release_barrier(warp, kClusterBarrier);
    }
  };

 public:
  Runner(Executor& executor, const RunLimits& limits, Observer* observer)
      : executor_(executor), limits_(limits), observer_(observer) {
    supervisor_.start_launch(
        executor, [this](std::vector<Warp*>& out) { add_running(out); },
        {limits.warp_instructions, "an endless loop?"}, limits.stop);
  }

  tl::expected<void, Trap> block(const std::array<std::uint32_t, 3>& index) {
    next_ = count_ = 0;
    running_ = 0;
    start(index, false);
    return until_ended();
  }

  tl::expected<void, Trap> grid() {
    const auto& [x, y, z] = executor_.grid().blocks;
    next_ = running_ = 0;
    count_ = std::uint64_t{x} * y * z;
    return until_ended();
  }

  RunReport report;

 private:
  bool can_start() const {
    const std::uint64_t each = std::max(executor_.grid().cluster_blocks(), 1u);
    return next_ < count_ && (running_ == 0 || (running_ + 1) * each <= limits_.resident);
  }

  void start_next() {
    const Grid& grid = executor_.grid();
    while (next_ < count_) {
      const std::uint64_t i = next_++;
      const std::array<std::uint32_t, 3> index{
          static_cast<std::uint32_t>(i % grid.blocks[0]),
          static_cast<std::uint32_t>(i / grid.blocks[0] % grid.blocks[1]),
          static_cast<std::uint32_t>(i / grid.blocks[0] / grid.blocks[1])};
      if (!grid.clustered() || of_rank(grid, index, 0) == index) return start(index, true);
    }
  }

  /// `all`: all blocks of the cluster are observed.
  void start(const std::array<std::uint32_t, 3>& index, bool all) {
    const Grid& grid = executor_.grid();
    const std::uint32_t blocks = std::max(grid.cluster_blocks(), 1u);
    supervisor_.joined();
    if (teams_.size() == running_) teams_.push_back(std::make_unique<Team>());
    Team& team = *teams_[running_++];
    while (team.members.size() < blocks) team.members.emplace_back(executor_.model());
    team.cluster = {};
    for (std::uint32_t rank = 0; rank < blocks; ++rank) {
      Member& member = team.members[rank];
      const std::array<std::uint32_t, 3> at = grid.clustered() ? of_rank(grid, index, rank) : index;
      executor_.start(member.block, at);
      member.barriers = Barriers(member.block, executor_.model());
      member.observed = all || at == index;
      if (!grid.clustered()) continue;
      member.block.cluster = &team.cluster;
      member.block.rank = rank;
      team.cluster.blocks.push_back(&member.block);
    }
  }

  tl::expected<void, Trap> until_ended() {
    for (unsigned rounds = 1;; ++rounds) {
      if (running_ == 0) start_next();
      if (rounds % kPatience == 0)
        for (std::size_t more = running_; more > 0 && can_start(); --more) start_next();
      if (running_ == 0) return {};
      bool moved = false;
      for (std::size_t i = 0; i < running_; ++i)
        if (auto ok = round(*teams_[i], moved); !ok) {
          // Nobody that runs can change what all of them wait for; those that follow may.
          if (!ok.error().deadlock || !can_start()) return ok;
          start_next();
          moved = true;
        }
      if (remove_ended()) {
        rounds = 0;
        continue;
      }
      if (moved) continue;
      if (!can_start()) return tl::unexpected(deadlock());
      start_next();
    }
  }

  tl::expected<void, Trap> round(Team& team, bool& moved) {
    for (Member& one : team.members)
      for (Warp& warp : one.block.warps) {
        if (warp.exited() || warp.at_barrier) continue;
        moved = true;
        GPX_TRY(turn(warp, one, team));
      }
    return {};
  }

  /// True: some had. The order of the others stays.
  bool remove_ended() {
    const auto running = teams_.begin() + static_cast<std::ptrdiff_t>(running_);
    const auto end = std::stable_partition(teams_.begin(), running,
                                           [](const auto& team) { return !team->ended(); });
    running_ = static_cast<std::size_t>(end - teams_.begin());
    return end != running;
  }

  tl::expected<void, Trap> turn(Warp& warp, Member& member, Team& team) {
    for (std::uint32_t k = 0; k < limits_.turn; ++k) {
      const ptx::Instruction& instruction = executor_.next(warp);
      const int line = instruction.line;
      env_.clock = env_.nanoseconds = ++report.warp_instructions;
      if (supervisor_.due()) [[unlikely]]
        if (auto trap = supervisor_.look(line)) return tl::unexpected(std::move(*trap));
      const Effect* const step = executor_.step(warp, env_);
      if (!step) return tl::unexpected(executor_.take_trap());
      const Effect& effect = *step;
      if (observer_ && member.observed) observer_->on_step(warp, instruction, effect);
      if (effect.barrier) member.barriers.arrive(effect), barrier_line_ = line;
      if (effect.cluster_waits) barrier_line_ = line;
      if (effect.left) member.barriers.leave();
      if (effect.left || effect.cluster_arrivals > 0) team.settle_cluster();
      if (effect.exited) return {};
      if (supervisor_.probing()) [[unlikely]]
        if (auto trap = supervisor_.observe(warp, line)) return tl::unexpected(std::move(*trap));
      if (warp.at_barrier) break;
    }
    return {};
  }

  void add_running(std::vector<Warp*>& out) {
    for (std::size_t i = 0; i < running_; ++i)
      for (Member& one : teams_[i]->members)
        for (Warp& warp : one.block.warps)
          if (!warp.exited() && !warp.at_barrier) out.push_back(&warp);
  }

  Trap deadlock() const {
    const auto waits = [](const Warp& w) { return !w.exited(); };
    const auto& members = teams_.front()->members;
    const auto one = std::ranges::find_if(
        members, [&](const Member& each) { return std::ranges::any_of(each.block.warps, waits); });
    const Block& block = one->block;
    const auto warp = std::ranges::find_if(block.warps, waits);
    return {fmt::format("deadlock: warp {} of block ({}, {}, {}) waits at a barrier for warps that "
                        "never come",
                        warp->id, block.index[0], block.index[1], block.index[2]),
            barrier_line_, true};
  }

  Executor& executor_;
  RunLimits limits_;
  Observer* observer_;
  Env env_;
  Supervisor supervisor_;
  std::vector<std::unique_ptr<Team>> teams_;  ///< Those that run first; the others are reused.
  std::size_t running_ = 0;
  std::uint64_t next_ = 0, count_ = 0;  ///< Blocks of the grid that have not been started.
  int barrier_line_ = 0;                ///< Of the last barrier that a warp came to.
};

BlockRunner::BlockRunner(Executor& executor, const RunLimits& limits, Observer* observer)
    : runner_(std::make_unique<Runner>(executor, limits, observer)) {}
BlockRunner::~BlockRunner() = default;

tl::expected<void, Trap> BlockRunner::block(const std::array<std::uint32_t, 3>& index) {
  return runner_->block(index);
}

tl::expected<void, Trap> BlockRunner::grid() {
  return runner_->grid();
}

const RunReport& BlockRunner::report() const {
  return runner_->report;
}

tl::expected<RunReport, Trap> run(Executor& executor, const RunLimits& limits) {
  BlockRunner runner(executor, limits);
  GPX_TRY(runner.grid());
  return runner.report();
}

}  // namespace gpx::vgpu::exec
