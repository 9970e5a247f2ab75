// The functional interpreter: what each PTX instruction means, without any notion of time.
//
// `Executor::step` executes one instruction of one warp and tells the caller what it did, as an
// Effect. The timing layer decides when to call it; a caller that just round-robins over the warps
// (exec/run.h) gets the same values. Covered by tests/vgpu/exec_control_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/ptx/module.h"
#include "runtime/device/vgpu/exec/device_library.h"
#include "runtime/device/vgpu/exec/memory.h"
#include "runtime/device/vgpu/exec/zeroed_bytes.h"

namespace gpx::vgpu::exec {

inline constexpr unsigned kWarpSize = 32;
using Mask = std::uint32_t;
using Lanes = std::array<std::uint64_t, kWarpSize>;

/// Bits in which not all of these lanes have the same; 0 for none of them.
inline std::uint64_t differing_bits(Mask active, const Lanes& lanes) {
  const std::uint64_t first = lanes[static_cast<unsigned>(std::countr_zero(active)) % kWarpSize];
  std::uint64_t bits = 0;
  if (active == ~Mask{0}) {
    for (const std::uint64_t each : lanes) bits |= each ^ first;
    return bits;
  }
  for (; active != 0; active &= active - 1)
    bits |= lanes[static_cast<unsigned>(std::countr_zero(active))] ^ first;
  return bits;
}

/// Bytes of global memory that lie together.
struct Range {
  std::uint64_t begin = 0, bytes = 0;
};

/// What an instruction did outside its warp's registers.
struct Effect {
  Mask active = 0;  ///< Lanes that executed it (guard applied).
  /// A memory access: space != none. Addresses are those of the accessing lanes, within the space:
  /// shared and local count from 0 (local: from the begin of the thread's local memory). A generic
  /// access is reported in the space that it hits; where lanes hit several, in global memory alone,
  /// and the other lanes repeat an address of it.
  ptx::Space space = ptx::Space::none;
  bool is_load = false;           ///< ld, atom, tex
  bool is_store = false;          ///< st, red, atom
  bool is_atomic = false;         ///< atom, red
  bool compares : 1 = false;      ///< An atomic of two words a lane: compare-and-swap.
  bool counts_lanes : 1 = false;  ///< An atomic that adds the number of lanes, one word at a time.
  std::uint8_t bytes = 0;         ///< A lane's access.
  bool barrier = false;        ///< The warp arrived at a barrier (and waits, if its at_barrier is
                               ///< set: bar.arrive goes on), barrier_id.
  bool barrier_waits = false;  ///< It goes on after the release: not bar.arrive.
  bool cluster_waits : 1 = false;  ///< At the barrier of the cluster...
  bool cluster_over : 1 = false;   ///< ...or need not: the barrier has let go.
  bool phase_over = false;         ///< Of the mbarrier that was asked.
  bool left = false;               ///< Some lanes left the kernel.
  bool diverged = false;           ///< A branch split the warp.
  std::uint8_t values = 0;         ///< Different ones that match.any found.
  bool exited = false;             ///< No lane of the warp is left.
  bool retried = false;            ///< Nothing was executed: it waits for lanes of its member mask.
  bool stalled = false;            ///< No group can go on before a barrier lets go of others.
  std::uint32_t sleeps = 0;        ///< Nanoseconds.
  const Lanes* addresses = nullptr;  ///< Valid until the next step; lanes of `active` only.
  std::uint32_t barrier_id = 0;
  std::uint32_t barrier_threads = 0;  ///< It is for that many threads; 0: the whole block.
  /// Threads that arrived. On Model::stack a path counts as its whole warp.
  std::uint32_t barrier_arrivals = 0;
  std::uint32_t cluster_arrivals = 0;          ///< At the barrier of the cluster.
  std::uint32_t rows = 0;                      ///< Of the box of a tensor; else 0.
  std::uint32_t copied = 0;                    ///< Bytes of a bulk copy...
  const std::vector<Range>* ranges = nullptr;  ///< ...those in global memory; until the next step.
  std::uint64_t mbarrier = 0;                  ///< That is told of it; or the one that was asked.

  /// It did nothing by which its warp could not go on.
  bool goes_on() const {
    return !(barrier | cluster_waits | cluster_over | left | exited | stalled) &&
           cluster_arrivals == 0;
  }
};
static_assert(sizeof(Effect) <= 72, "every instruction makes one: keep it small");

/// A run-time failure: an access out of bounds, a misaligned address, trap.
struct Trap {
  std::string message;
  int line = 0;           ///< Of the PTX text.
  bool deadlock = false;  ///< Not a fault: the launch does not end.
};

/// How the paths of a diverged warp share it.
enum class Model : std::uint8_t {
  stack,        ///< A reconvergence stack: the taken path first, each to the meeting point.
  independent,  ///< Groups of lanes take turns (exec/groups.h).
};

/// What special registers read; the timing layer keeps it up to date before each step.
struct Env {
  std::uint64_t clock = 0;        ///< SM clocks.
  std::uint64_t nanoseconds = 0;  ///< %globaltimer.
  std::uint32_t sm = 0, sm_count = 1;
};

struct Grid {
  std::array<std::uint32_t, 3> blocks{1, 1, 1};
  std::array<std::uint32_t, 3> threads{1, 1, 1};  ///< A block.
  std::uint32_t dynamic_shared_bytes = 0;
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< Blocks of a cluster; zeros: none.

  bool clustered() const { return cluster[0] != 0; }
  std::uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// One entry of the reconvergence stack.
struct Path {
  std::int32_t pc = 0;  ///< Into the entry's instructions and, after them, its callees'.
  std::int32_t reconvergence = -1;  ///< -1: none, runs to the exit.
  Mask mask = 0;
  bool call = false;             ///< The outermost path of a called function.
  std::uint32_t base = 0;        ///< First of the frame's registers in Warp::registers: an
                                 ///< instruction's register r is Warp::registers[base + r].
  std::uint32_t local_base = 0;  ///< The frame's begin in each thread's local memory.
  std::int32_t site = -1;        ///< Of the call that began it: Program::calls.
  /// Model::stack: lanes may pass by `reconvergence` and come to where an outer path waits.
  bool passes_by = false;

  bool operator==(const Path&) const = default;
};

/// Lanes of a warp that execute together.
struct Group {
  /// Model::stack: the reconvergence stack. Model::independent: the frames of the calls. Back is
  /// what executes.
  std::vector<Path> stack;
  /// Model::independent: where the branches that this group came from meet, and at which depth of
  /// calls.
  struct Meet {
    std::int32_t pc;
    std::uint32_t depth;
    bool operator==(const Meet&) const = default;
  };
  std::vector<Meet> meets;
  std::int32_t barrier = -1;       ///< That it waits at.
  std::int32_t reduction_pc = -1;  ///< A bar.red whose result is due after the release.
  std::uint32_t reduction_generation = 0;
  Mask reduction_mask = 0;  ///< Lanes that executed it.

  bool operator==(const Group&) const = default;
};

struct Block;

/// Blocks that run together. Who starts them puts them here; who drives them tells when the barrier
/// lets go.
struct Cluster {
  std::vector<Block*> blocks;  ///< By rank; nullptr: it has ended.
  std::uint32_t arrived = 0;   ///< Threads, at the barrier.
  std::uint32_t phase = 0;     ///< How often the barrier has let go.

  /// True: all threads that have not exited had arrived, and the next phase begins.
  bool complete();
};
/// The block of that rank in the cluster that `index` belongs to.
std::array<std::uint32_t, 3> of_rank(const Grid& grid, const std::array<std::uint32_t, 3>& index,
                                     std::uint32_t rank);
inline constexpr std::size_t kMostClusterBlocks = 16;
/// An address of shared memory has its block's rank + 1 above these bits, or 0: the block's own.
inline constexpr unsigned kRankShift = 24;
/// As a barrier of a block: what release_barrier() is told.
inline constexpr std::uint32_t kClusterBarrier = 16;

/// The group that executes, and the others.
struct Warp : Group {
  Block* block = nullptr;
  std::uint32_t id = 0;  ///< Within the block.
  Mask launched = 0;     ///< Lanes that exist.
  std::vector<Lanes> registers;
  bool at_barrier = false;    ///< Set by step where no group can run; see release_barrier().
  std::vector<Group> others;  ///< Model::independent: in the order of their turns.
  std::uint32_t turn = 0;     ///< Instructions of the executing group's turn so far.
  Mask cluster_phase = 0;     ///< By lane, the parity of the phase that it arrived in last.
  bool retry = false;         ///< The instruction waits for lanes of other groups.
  /// Turns in a row that ended in a retry at once, since a group last executed something. On
  /// Model::stack, retries since an instruction last found all of its member mask.
  std::uint32_t stalled = 0;
  /// Lanes at a bar.warp.sync that all of its members have come to, each at its own place.
  Mask released = 0;
  std::uint32_t mark = 0;  ///< For whoever drives the warp: the executor does not use it.
  /// The next so many instructions are executed: to step over them moves the warp on alone.
  std::uint32_t ahead = 0;

  /// It executes something soon: the host fetches it, without a look at it.
  [[gnu::always_inline]] void expect() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&registers);
    __builtin_prefetch(&ahead);
  }
  bool exited() const { return stack.empty(); }
  std::int32_t pc() const { return stack.back().pc; }
  Mask active() const { return stack.back().mask; }
};

/// What the warps contributed to bar.red on one barrier.
struct BarrierReduction {
  std::uint32_t generation = 0;
  std::uint32_t count = 0, trues = 0;            ///< Threads that arrived, and those with true.
  std::uint32_t last_count = 0, last_trues = 0;  ///< Of the generation before.
};

struct Block {
  std::array<std::uint32_t, 3> index{0, 0, 0};
  std::vector<Warp> warps;
  std::vector<std::uint8_t> shared;
  ZeroedBytes local;  ///< Threads' local memories, one after another.
  std::array<BarrierReduction, 16> reductions{};
  std::uint32_t live_threads = 0;
  Cluster* cluster = nullptr;  ///< nullptr: the launch has none.
  std::uint32_t rank = 0;      ///< In its cluster.
};

/// The barrier `id` of the block lets go: the groups that wait there can run again.
void release_barrier(Warp& warp, std::uint32_t id);

/// Executes one entry function over one grid. Not thread-safe: one for each simulated launch.
/// Cheap to construct: what depends on the function alone is derived once and kept with it. The
/// module's .global variables live in `memory` from the first launch of the module there.
///
/// Divergence on Model::stack: a branch whose lanes disagree splits the warp; the lanes that take
/// it run first, up to the immediate post-dominator, where they wait for the others (Wong 2010,
/// section IV-C and Listing 3, observes this order). A guarded exit or ret takes its lanes out of
/// every mask.
class Executor {
 public:
  /// `parameters` is the param block, laid out by Function::parameters.
  Executor(const ptx::Module& module, const ptx::Function& entry, const Grid& grid,
           std::span<const std::uint8_t> parameters, GlobalMemory& memory);
  ~Executor();

  /// `turn`: Model::independent, instructions of a group before the next one has its turn.
  void set_model(Model model, std::uint32_t turn);
  Model model() const;
  /// Values that decide neither an address nor a path are not computed from now on, nor moved, nor
  /// stored: time and counts are the same. `rereads`: as in exec/values.h.
  void leave_values_out(bool rereads);
  /// What the module's .const variables hold instead of their initial values.
  void set_constants(std::shared_ptr<const std::vector<std::uint8_t>> image);

  /// Makes `block` the block `index` of the grid at its first instruction. Reuses its storage.
  void start(Block& block, const std::array<std::uint32_t, 3>& index) const;

  /// The instruction that `step` would execute. The warp must not have exited. Its registers are
  /// numbered within the frame: Path::base.
  const ptx::Instruction& next(const Warp& warp) const;

  /// Counts whatever one warp may see of another, or of time: stores and atomics that change a
  /// value, arrivals at barriers, exits, reads of a clock.
  std::uint64_t changes() const;

  /// What the kernel's threads printed so far.
  const DeviceOutput& output() const;

  const Grid& grid() const;
  /// The kernel waits for all blocks of its grid (cooperative_groups' grid().sync()): they must be
  /// resident at once.
  bool cooperative() const;
  /// Static and dynamic shared memory of a block.
  std::uint64_t shared_bytes() const;

  /// The effect is the executor's own and valid until the next step: a copy for each instruction
  /// costs 5 % of a simulation. nullptr: a trap.
  /// `ahead`: so many instructions behind it may be executed at once where they read and write
  /// registers alone, while those are in the host's caches: steps that follow find them done. Until
  /// then the registers are those of later instructions.
  const Effect* step(Warp& warp, const Env& env, std::uint32_t ahead = 0);
  /// What the step that gave none failed by.
  Trap take_trap();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpx::vgpu::exec
