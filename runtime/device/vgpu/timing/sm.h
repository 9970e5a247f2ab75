// Sm: one streaming multiprocessor: warp slots, issue, scoreboard, barriers, load/store unit.
//
// A warp issues in order. Each event of a warp is one attempt: either it issues the next
// instruction and says when to try again, or it waits for something that will wake it. Covered by
// tests/vgpu/timing_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/device/vgpu/description/costs.h"
#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/exec/supervisor.h"
#include "runtime/device/vgpu/memory/memory_path.h"
#include "runtime/device/vgpu/memory/near_memory.h"
#include "runtime/device/vgpu/timing/async_groups.h"
#include "runtime/device/vgpu/timing/barrier.h"
#include "runtime/device/vgpu/timing/block_scheduler.h"
#include "runtime/device/vgpu/timing/bulk_engine.h"
#include "runtime/device/vgpu/timing/cluster.h"
#include "runtime/device/vgpu/timing/event_queue.h"
#include "runtime/device/vgpu/timing/instruction_fetch.h"
#include "runtime/device/vgpu/timing/issue.h"
#include "runtime/device/vgpu/timing/load_store.h"
#include "runtime/device/vgpu/timing/local_memory.h"
#include "runtime/device/vgpu/timing/scoreboard.h"
#include "runtime/device/vgpu/timing/tenant.h"
#include "runtime/device/vgpu/timing/warp_scheduler.h"
#include "runtime/device/vgpu/timing/warpgroup.h"

namespace gpx::vgpu::timing {

/// One launch, as every SM sees it.
struct LaunchContext {
  exec::Executor* executor = nullptr;
  const ModuleCosts* costs = nullptr;
  unsigned warps_per_block = 1;
  std::uint64_t shared_bytes_per_block = 0;
  std::uint64_t registers_per_block = 0;
  std::uint64_t l1_data = 0;  ///< Bytes that L1 has beside shared memory; 0: they divide none.
  unsigned active_sms = 1;    ///< That have blocks, simulated or not.
  EventQueue* events = nullptr;
  exec::Supervisor* supervisor = nullptr;
  Clk deadline = kNever;         ///< Events after it are not run.
  Listener* listener = nullptr;  ///< nullptr: nobody listens.
  ClusterNetwork* network = nullptr;
  const Tenant* tenant = nullptr;
  bool ahead = false;  ///< An SM's events may be run before earlier ones of others.
};

/// Clocks by which an SM may be ahead of the others: else one that waits for them for ever would
/// never let them run.
inline constexpr Clk kMostAhead = 4096;

class Sm {
 public:
  Sm(const Description& device, MemorySystem& system, unsigned index);

  void start_launch(const LaunchContext& launch);
  bool has_room() const;
  /// Blocks of the launch that it holds at once; 0: not even one.
  unsigned most_blocks() const;
  /// More blocks of the launch that it has room for.
  unsigned room() const;
  /// `cluster`: the block has that rank in it.
  void start_block(const BlockScheduler::Start& start, ClusterRun* cluster = nullptr,
                   std::uint32_t rank = 0);
  /// The barrier of a cluster lets a warp go that waits there.
  void release_from_cluster(std::uint32_t slot, Clk at);

  /// A warp's event: it issues, or finds that it cannot yet; and its next ones, while no other
  /// event comes before them. The clock of the first that does not belong here; kNever: it ended,
  /// something else will wake it, or trap() says what it failed by. Every event that it causes
  /// comes after this one.
  Clk attempt(std::uint32_t slot, Clk clk);
  /// A scheduler's event: the warp that has its turn, whose event this is then.
  std::optional<std::uint32_t> choose(unsigned scheduler, Clk clk);
  /// An attempt of that warp may come soon: the host fetches what it needs meanwhile, since the
  /// warps of all SMs do not lie in its nearest caches.
  [[gnu::always_inline]] void expect(std::uint32_t slot) const {
    if (slot >= warps_.size()) return;
    const Warp& warp = warps_[slot];
    const CostedInstruction* const next = warp.instruction;
    scoreboard_.expect(slot, next && next->writes != next->end ? next->writes : nullptr);
    __builtin_prefetch(warp.path);
    if (warp.state) warp.state->expect();
  }
  std::optional<exec::Trap>& trap() { return trap_; }
  Clk trapped_at() const { return trapped_at_; }
  /// The warp's event does nothing that an SM beyond the TPC sees, and sees nothing of theirs.
  bool is_apart(std::uint32_t slot, Clk clk) const {
    if (slot >= Event::kScheduler) {
      const auto chosen = chooses(slot - Event::kScheduler, clk);
      if (!chosen) return true;
      slot = *chosen;
    }
    const Warp& warp = warps_[slot];
    if (!warp.instruction || !warp.instruction->cost.apart || trap_) return false;
    return !fetch_ || warp.reserved || fetch_->is_near(slot, warp.instruction->cost.number);
  }
  struct Ended {
    std::uint64_t turn;  ///< Which of the launch's blocks (BlockScheduler::Start::turn).
    Clk at;              ///< When its place is free.
  };
  /// Blocks that have ended and whose places nobody has taken; whoever takes them clears it.
  std::vector<Ended>& ended() { return ended_; }

  /// Its caches have the code of so many instructions.
  void hold_code(std::uint64_t instructions) {
    if (fetch_) fetch_->hold(instructions);
  }
  /// Another process has run here: its own caches are empty.
  void forget() { path_.empty_l1(); }

  /// The load/store unit's event.
  void load_store_event(Clk clk);
  /// That of the engine of bulk copies.
  void bulk_event(Clk clk);

  unsigned index() const { return index_; }
  /// When the last warp has exited and the last access is over.
  Clk drained() const { return std::max(exited_, drained_); }
  /// When the launch is over but for its overhead: Description::launch_drain().
  Clk end() const {
    return std::max(exited_, drained_ - std::min(drained_, whole(device_.launch_drain())));
  }
  unsigned live_warps() const { return live_warps_; }
  /// Warps that wait at barriers.
  unsigned at_barriers() const;
  /// Adds the warps that can run, now or when an access has ended.
  void add_running(std::vector<exec::Warp*>& out) const;

 private:
  struct Block {
    exec::Block state;
    Barriers barriers;
    std::vector<std::uint32_t> slots;  // by warp of the block
    std::uint64_t number = 0;          // in the grid
    std::uint64_t turn = 0;            // among those that were started
    ClusterRun* cluster = nullptr;
    struct Phase {
      std::uint64_t copy = 0;  // the last one that the mbarrier is told of
      Clk there = 0;           // when the last byte of those that have been sent is
    };
    std::map<std::uint64_t, Phase> phases;  // by mbarrier
    unsigned live = 0;
    bool used = false;
  };
  // What each attempt looks at lies in one line of the host's caches.
  struct alignas(64) Warp {
    exec::Warp* state = nullptr;
    Block* block = nullptr;                          // nullptr: the slot is free
    std::uint64_t id = 0;                            // counts the warps that this SM has started
    Clk next = 0;                                    // earliest issue of the next instruction
    const CostedInstruction* instruction = nullptr;  // the next one; nullptr: not looked up yet
    const void* path = nullptr;  // of `state`, to be prefetched: it may have gone
    unsigned base = 0;           // of its frame, where `instruction` has been looked up
    bool parked = false;         // waits for the end of an access that is not known yet
    bool reserved = false;       // its unit and issue slot are booked; or it waits for its turn
    bool booked = false;         // the unit that all partitions share
    bool ahead = false;          // of a barrier that is not complete
    bool held = false;           // and came to what waits for it
    unsigned unknown = 0;        // accesses whose end is not known yet
    Clk memory_done = 0;         // of its accesses whose end is known
    Clk read = 0;                // when its stores have read their registers
    Clk behind_barrier = 0;      // earliest issue of what waits for the last barrier
    AsyncGroups copies{};        // its cp.async
    BulkGroups bulk_stores{};
  };

  /// A bulk copy that has not been sent to its end.
  struct BulkCopy {
    std::uint64_t number;
    std::uint32_t slot;
    std::uint64_t warp;
    Block* block;
    std::uint64_t turn;                     // of the block
    std::optional<std::uint64_t> mbarrier;  // nullopt: a store
  };
  /// A warp that waits for one, and for those before.
  struct BulkWait {
    std::uint64_t number;
    std::uint32_t slot;
    std::uint64_t warp;
    Clk least;                              // it goes on no earlier, or has its answer
    std::optional<Clk> token;               // of the answer; nullopt: the warp itself waits
    std::optional<std::uint64_t> mbarrier;  // that was asked; nullopt: for stores
    Scoreboard::Registers written;          // with the token
  };

  struct Issued {
    std::uint32_t slot;
    const CostedInstruction& instruction;
    unsigned base;  // first register of the frame
    const Cost& cost = instruction.cost;

    Scoreboard::Registers written() const { return {instruction.writes, instruction.end, base}; }
  };

  void tell_stall(std::uint32_t slot, Clk until, Stall reason);
  void tell_wait(std::uint32_t slot, Clk clk, Clk until, Stall reason);
  void tell_ready(std::uint32_t slot, Clk clk);
  void tell_issue(std::uint32_t slot, Clk clk);
  void tell_end(const MemoryAccess& access, Clk complete);
  bool has_room_beside(unsigned blocks, unsigned warps) const;
  [[gnu::always_inline]] const exec::Effect* execute(Warp& warp, Clk clk);
  [[gnu::always_inline]] Clk operands_ready(std::uint32_t slot, const Warp& warp);
  [[gnu::always_inline]] void look_up(Warp& warp);
  [[gnu::always_inline]] Clk go_on(std::uint32_t slot, Warp& warp);
  [[gnu::always_inline]] Clk attempt_folded(std::uint32_t slot, Warp& warp, Clk clk);
  bool falls_through(const Warp& warp) const;
  [[gnu::always_inline]] bool goes_on(std::uint32_t slot, Clk next) const;
  [[gnu::always_inline]] Clk reserve(std::uint32_t slot, const Cost& cost, Clk clk);
  [[gnu::always_inline]] unsigned unit_of(std::uint32_t slot, const Cost& cost) const;
  /// One of two; kNoUnit: none.
  using Units = std::array<std::uint16_t, 2>;
  static Units units_of(const Cost& cost);
  [[gnu::always_inline]] Clk unit_free(std::uint32_t slot, const Units& units) const;
  [[gnu::always_inline]] Clk issue_assembled(std::uint32_t slot, Warp& warp, Clk clk);
  std::optional<std::uint32_t> chooses(unsigned scheduler, Clk clk) const;
  void decide(unsigned scheduler, Clk clk);
  [[gnu::always_inline]] Clk attempt_once(std::uint32_t slot, Warp& warp, Clk clk);
  [[gnu::always_inline]] Clk issue(std::uint32_t slot, Warp& warp, Clk clk);
  void issue_special(const Issued& issued, Warp& warp, const exec::Effect& effect, Clk clk);
  bool goes_ahead(Warp& warp, const exec::Effect& effect);
  Clk settle(const Issued& issued, Warp& warp, const exec::Effect& effect, Clk clk);
  void set_clocks(Clk clk);
  Clk next_attempt(std::uint32_t slot);
  Clk run_warpgroup(const Issued& issued, Clk clk);
  Clk copies_ready(const Warp& warp) const;
  Clk run_async_copy(const Issued& issued, const exec::Effect& effect, Clk clk);
  Clk run_bulk(const Issued& issued, const exec::Effect& effect, Clk clk);
  void bulk_sent(const BulkCopy& copy, Clk there, Clk clk);
  void wake_bulk(Clk clk);
  Clk mbarrier_ready(const Issued& issued, const exec::Effect& effect, Clk clk);
  void wake(std::uint32_t slot, Clk clk);
  Clk handed_over(ptx::Space space) const;
  Clk turn_of(const Issued& issued, const exec::Effect& effect, Clk clk);
  void read_sources(const Issued& issued, Clk begins, Clk least, bool lanes = true);
  void access_memory(const Issued& issued, const exec::Effect& effect, Clk clk);
  void access_near(const Issued& issued, const exec::Effect& effect, Clk clk);
  void begin_access(const Issued& issued, const exec::Effect& effect, const exec::Lanes& addresses,
                    unsigned bytes, Clk clk, bool last);
  void request(MemoryAccess& access, exec::Mask active, const exec::Lanes& addresses,
               unsigned bytes);
  void send(Clk clk);
  void result_at(const Issued& issued, Clk ready);
  bool access_cluster(const Issued& issued, const exec::Effect& effect, Clk clk);
  bool end_access(const MemoryAccess& access, Clk complete);
  void wake_load_store(Clk clk);
  void exit_warp(std::uint32_t slot, Clk clk);
  void end_block(Block& block, Clk clk);
  unsigned threads_of_participant() const;
  void arrive(const Issued& issued, const exec::Effect& effect, Clk clk);
  void arrive_at_cluster(const Issued& issued, ClusterRun& cluster, Clk clk);
  Clk fenced(const Warp& warp) const;
  Clk released(const Warp& warp, Clk clk);
  void settle_cluster(ClusterRun& cluster, Clk clk);
  void release_barriers(Block& block, Clk clk);
  Block& free_block();
  std::uint32_t free_slot() const;

  const Description& device_;
  const unsigned index_;
  const Clk granularity_, clock_offset_;
  Coalescer coalescer_;
  std::optional<SharedBanks> l1_banks_;  // nullopt: they do not conflict
  MemoryPath path_;
  NearMemory near_;
  LocalMemory local_;
  std::optional<InstructionFetch> fetch_;  // nullopt: code is always there
  LoadStoreUnit load_store_;
  IssueSlots slots_;
  WarpSchedulers schedulers_;
  Scoreboard scoreboard_;
  WarpgroupPipes warpgroups_;
  BulkEngine bulk_;
  LaunchContext launch_;
  exec::Env env_;

  std::vector<Warp> warps_;                     // by slot
  std::vector<Units> awaited_;                  // by slot: by a warp that waits for its turn
  std::vector<Clk> told_;                       // by slot: until when a listener knows all
  std::vector<std::unique_ptr<Block>> blocks_;  // reused from launch to launch
  unsigned live_warps_ = 0, live_blocks_ = 0;
  std::vector<Ended> ended_;
  std::optional<exec::Trap> trap_;
  Clk trapped_at_ = 0;
  std::deque<BulkCopy> bulk_copies_;  // by number
  std::vector<BulkWait> bulk_waits_;
  Clk bulk_wake_ = kNever;            // as load_store_wake_
  Clk load_store_wake_ = kNever;      // the event that is under way
  double arrivals_free_ = 0;          // when all arrivals at barriers have been counted
  double cluster_arrivals_free_ = 0;  // and those at barriers of clusters
  double releases_free_ = 0;          // when the next warp can begin to publish its accesses
  double stores_free_ = 0;            // when the SM takes the next store of machine code
  Clk exited_ = 0, drained_ = 0;      // the last warp; the last access that is known
  double warp_starts_ = 0;            // when the next warp can start
  std::uint64_t warps_started_ = 0;
};

}  // namespace gpx::vgpu::timing
