// Machine: the whole modelled GPU, and its state between the launches of one job.
//
// It owns the clock: SMs, caches and queues are passed it. A job begins with cold caches and an
// upload; L2 then lives on from launch to launch. Not thread-safe: one for each worker.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/vgpu/description/costs.h"
#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/memory/memory_path.h"
#include "runtime/device/vgpu/timing/block_scheduler.h"
#include "runtime/device/vgpu/timing/event_queue.h"
#include "runtime/device/vgpu/timing/sm.h"
#include "runtime/device/vgpu/timing/tenant.h"

namespace gpx::vgpu::timing {

/// A byte range of global memory that the host copies in before the first launch.
struct Upload {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// What a launch takes of an SM for each block, and how long it may run.
struct LaunchNeeds {
  std::uint64_t shared_bytes = 0;
  std::uint64_t registers = 0;
  std::uint64_t l1_data = 0;  ///< Bytes that L1 has beside shared memory; 0: they divide none.
  double watchdog = 0;        ///< Clocks after which it is a deadlock; 0: none.
  /// Only the time is asked for: a sample of the blocks may be run (grid_sample.h).
  bool sample = false;
  /// What was counted of the grid's blocks: codegen::Launch::deviation, largest.
  double deviation = std::numeric_limits<double>::infinity();
  double largest = 1;
  std::uint64_t most_instructions = 0;  ///< codegen::Launch::most_instructions
  /// An estimate: the blocks of so many of the SMs, or a sample of them; what all SMs share is
  /// theirs in part. 0: all SMs.
  unsigned sms = 0;
  std::uint64_t most_blocks = 0;  ///< That the sample of an estimate grows to.
  /// What some blocks of it execute (SampledBlock); empty: nothing is known.
  std::vector<SampledBlock> executed = {};
  bool share_l2 = false;    ///< Likewise: L2 is theirs in part.
  bool lines_stay = false;  ///< Likewise: L2 holds all lines that its blocks store to.
  /// Likewise: of the lines that blocks bring, the share that no other block has brought, where the
  /// lines of the blocks that do not run drive out what earlier launches left; 0: nothing is left.
  double others = 0;
};

class Machine {
 public:
  /// `tenant`: another process on the device, which outlives it; nullptr: none.
  explicit Machine(const Description& device, Tenant* tenant = nullptr);

  /// Told of all that happens, from the next launch on; nullptr: nobody is.
  void listen(Listener* listener) { system_.set_listener(listener); }

  /// What every job copies in, in this order of buffers.
  void set_uploads(const std::vector<Upload>& uploads);

  /// Cold caches, then the uploads. `seed` fixes the noise of all launches of the job.
  void start_job(std::uint64_t seed, bool uploads = true);

  /// A launch that is not simulated has executed this code.
  void hold_code(const ModuleCosts& costs) {
    for (const auto& sm : sms_) sm->hold_code(costs.instructions());
  }

  /// The host copies `bytes` of something else in (0: twice the L2).
  void flush(std::uint64_t bytes);

  /// L2 has taken in as many lines of other blocks than those of the last launch, of which the part
  /// `dirty` is stored to. The device has an L2.
  void pass_others(double lines, double dirty, DirtyParts parts);
  /// Lines of L2 that the last launch takes with all of its blocks: those that its blocks entered,
  /// and for each of the others as many as for each of the second half of these.
  double lines_of_grid(std::uint64_t blocks) const;
  /// What has entered L2 in the last launch.
  Entered entered() const { return system_.entered_l2().since(before_); }
  /// Of the lines that the last launch entered, the part that it stored to.
  double dirty_part() const;
  /// A launch that is not simulated has touched these lines of L2.
  void sweep(const std::vector<Sweep>& sweeps) { system_.sweep(sweeps); }
  /// Lines that blocks load which a part of a grid leaves out.
  SharedLines& shared_lines() { return system_.shared_lines(); }

  /// Runs a grid to its end; gives the clocks that it took.
  /// Errors: a trap, a deadlock (Trap::deadlock), the watchdog, with the line of the PTX text where
  /// there is one; a raised `stop`.
  tl::expected<Clk, exec::Trap> launch(exec::Executor& executor, const ModuleCosts& costs,
                                       const exec::Grid& grid, const LaunchNeeds& needs,
                                       const std::atomic<bool>* stop = nullptr);

  /// SMs that took part in the last launch.
  std::uint64_t sms_run() const { return used_.size(); }
  /// Blocks that the last launch ran: all, or a sample.
  std::uint64_t blocks_run() const { return blocks_run_; }
  /// Half the 95 % interval of the time that they gave over it; 0 where all were run.
  double sample_error() const { return sample_error_; }
  /// Likewise, of the mean time of its blocks alone.
  double cluster_error() const { return sample_ ? sample_->cluster_error() : 0; }

  /// Warp instructions that this machine has executed in all its launches.
  std::uint64_t instructions() const { return total_instructions_; }

 private:
  void start_sms(exec::Executor& executor, const ModuleCosts& costs, const exec::Grid& grid,
                 const LaunchNeeds& needs, BlockScheduler& blocks);
  std::optional<std::uint64_t> first_of_part(const LaunchNeeds& needs, std::uint64_t blocks,
                                             unsigned resident, unsigned active) const;
  void share_constants(unsigned active);
  void start_sample(const LaunchNeeds& needs, const LaunchContext& context, BlockScheduler& blocks);
  void start_gpcs(const LaunchNeeds& needs, BlockScheduler& blocks);
  bool start_block(Sm& sm, BlockScheduler& blocks, Clk clk);
  void skip_blocks();
  void pass_skipped(std::uint64_t block);
  struct ClusterPlace {
    std::vector<unsigned> sms;  // of the GPC, by rank; empty: it has no room
    unsigned left = 0;          // room_left()
  };
  ClusterPlace next_place(unsigned gpc) const;
  void start_cluster(unsigned gpc, const ClusterPlace& place, BlockScheduler& blocks, Clk clk);
  bool start_clusters(BlockScheduler& blocks, Clk clk);
  bool start_all(BlockScheduler& blocks, Clk clk);
  void refill(Sm& sm, BlockScheduler& blocks);
  void refill_place(Sm& sm, BlockScheduler& blocks, Clk clk);
  std::optional<exec::Trap> run_events(BlockScheduler& blocks);
  bool runs_ahead() const;
  std::optional<exec::Trap> run_blocks(BlockScheduler& blocks);
  void tenant_turn();
  exec::Trap deadlock() const;
  exec::Supervisor::Most most_instructions(const LaunchNeeds& needs) const;

  const Description& device_;
  MemorySystem system_;
  std::vector<std::unique_ptr<Sm>> sms_;
  std::vector<Sm*> placement_;  // in the order in which blocks are handed out
  std::vector<Sm*> used_;       // of the launch under way
  std::vector<std::vector<Sm*>> gpcs_;
  std::size_t gpcs_used_ = 0;  // of the launch under way, for clusters
  ClusterNetwork network_;
  unsigned cluster_blocks_ = 0;  // of the launch under way; 0: it has no clusters
  bool cooperative_ = false;     // blocks wait for each other
  std::vector<std::unique_ptr<ClusterRun>> clusters_;  // reused
  Tenant* tenant_;
  std::uint64_t tenant_lines_ = 0;  // that L2 has not been told
  exec::Supervisor supervisor_;
  std::optional<GridSample> sample_;    // of the launch under way
  bool estimate_ = false;               // of some SMs
  double others_ = 0;                   // LaunchNeeds::others
  std::uint64_t passed_ = 0;            // lines of blocks that do not run
  Entered skipped_;                     // of L2, that it has not been told
  Entered before_;                      // of L2, before the launch
  std::uint64_t places_ = 0;            // of blocks of a sample that run at once
  std::vector<std::uint64_t> entered_;  // lines of L2, when each block of the launch began
  std::vector<LineRange> uploads_;
  EventQueue events_;
  Clk deadline_ = kNever;  // of the launch under way
  bool ahead_ = false;     // its SMs may be ahead of others
  Clk clk_ = 0;            // goes on from launch to launch of a job
  std::uint64_t seed_ = 0;
  std::uint64_t launches_ = 0;  // of the job
  std::uint64_t total_instructions_ = 0;
  std::uint64_t blocks_run_ = 0;
  double sample_error_ = 0;
};

}  // namespace gpx::vgpu::timing
