// Description: everything the virtual GPU knows about the device that it models, in base units.
//
// This header is for runtime/device/vgpu/ alone: an analysis must not be able to name this type.
// parse_description() reads a device file; timing/fields.h is the table of its fields.
// Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/vgpu/exec/coalescing.h"
#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/policy/policy.h"

namespace gpx::vgpu::timing {

inline constexpr std::uintmax_t kMostFileBytes = 1 << 20;  ///< Of a device file.
inline constexpr unsigned kMostSectors = 8;                ///< Of a line.
inline constexpr unsigned kMostBanks = 64;                 ///< Of shared memory.

/// What an instruction costs the warp that issues it and the unit that runs it.
struct OpCost {
  double latency = 0;   ///< Clocks from issue until its result can be used.
  double interval = 0;  ///< Clocks between two warp instructions on one unit of an SM.
};

struct Description {
  enum class Scope { sm, tpc, gpc, gpu };  ///< Who shares something.

  std::string name;
  std::string title;
  std::string compute_capability;  ///< "3.5"
  std::string machine_code;        ///< "sm_90a": what it executes where NVRTC is; empty: PTX.
  double clock_hz = 0;
  std::uint64_t memory_bytes = 0;

  struct Sm {
    std::uint32_t count = 0;
    std::uint32_t warp_slots = 0;
    std::uint32_t block_slots = 0;
    std::uint32_t max_threads_per_block = 0;
    std::uint32_t schedulers = 1;
    std::uint32_t partitions = 1;  ///< Each has a share of the units of arithmetic.
    double issue_interval = 1;     ///< Clocks between two warp instructions of a scheduler.
    /// 32-bit registers that a partition reads in a clock, besides those that the instruction
    /// before has read; 0: as many as any instruction wants.
    double operand_reads = 0;
    bool contracts = false;  ///< A product that is only added to something costs nothing.
    std::uint64_t shared_bytes = 0;
    std::uint64_t shared_reserved = 0;  ///< Of each block, by the system.
    std::uint32_t per_tpc = 1;
    std::uint32_t per_gpc = 0;  ///< TPCs of a GPC; 0: all.
    /// An instruction that is ready that long before its unit is free follows without a gap...
    double select_ahead = 0;
    double late_gap = 0;  ///< ...any other one that follows another leaves so many clocks.

    std::uint32_t tpcs() const { return (count + per_tpc - 1) / per_tpc; }
    std::uint32_t tpc_of(std::uint32_t index) const { return index / per_tpc; }
    /// Which copy of what has that scope an SM uses.
    std::uint32_t copy_of(Scope scope, std::uint32_t index) const {
      const std::uint32_t of_gpc = per_gpc == 0 ? tpcs() : per_gpc;
      return scope == Scope::sm    ? index
             : scope == Scope::tpc ? tpc_of(index)
             : scope == Scope::gpc ? tpc_of(index) / of_gpc
                                   : 0;
    }
    /// Which SM of its GPC it is.
    std::uint32_t place_in_gpc(std::uint32_t index) const {
      return per_gpc == 0 ? index : index % (per_gpc * per_tpc);
    }
    std::uint32_t copies(Scope scope) const { return copy_of(scope, count - 1) + 1; }
  } sm;

  struct Registers {
    std::uint32_t per_sm = 0;
    std::uint32_t per_thread_max = 0;
    std::uint32_t per_thread_quantum = 1;
    std::uint32_t thread_quantum = 1;

    /// What a block takes of the file.
    std::uint64_t of_block(std::uint32_t per_thread, std::uint64_t threads) const {
      const auto rounded = [](std::uint64_t value, std::uint64_t quantum) {
        return (value + quantum - 1) / quantum * quantum;
      };
      return rounded(per_thread, per_thread_quantum) * rounded(threads, thread_quantum);
    }
  };
  std::optional<Registers> registers;

  struct Execution {
    exec::Model model = exec::Model::stack;
    std::uint32_t turn = 64;  ///< Instructions of a group's turn; Model::independent.
  } execution;

  double block_interval = 0;  ///< Clocks between the starts of two blocks, over the whole device.
  double warp_interval = 0;   ///< Clocks between the starts of two warps on an SM.
  double block_refill = 0;    ///< Clocks for which the place of a block that has ended stays empty.
  /// Clocks of a launch besides those of its blocks, as events before and after it measure.
  double launch_overhead = 0;
  double launch_cold = 0;  ///< More clocks of one behind a flush of L2.
  /// Clocks of `launch_overhead` that follow the last access; nullopt: all of them.
  std::optional<double> launch_after_accesses;
  /// Clocks of `launch_overhead` in which accesses may still be under way.
  double launch_drain() const {
    return launch_overhead - launch_after_accesses.value_or(launch_overhead);
  }

  /// By unit ("alu", "sfu", ...), and by instruction ("mul.lo", "mul.lo.u32"): costs.h.
  std::map<std::string, OpCost> ops;

  /// Matrix products of warpgroups; absent: the device has none.
  struct Warpgroup {
    double column = 0;            ///< Clocks of the tensor cores for a column of B.
    double least = 0;             ///< Clocks of the smallest product.
    double shared_bandwidth = 0;  ///< B/clk of the tiles in shared memory.
    double sparse = 0;            ///< More clocks of a product of half of A.
    double latency = 0;           ///< Clocks from the last column to what waited for it, or...
    double sums = 0;              ///< ...what it takes to hand over the sums, if that is more:
    double sums_column = 0;       ///< ...so long, and so much longer for each column.
    double shared_latency = 0;    ///< More clocks where A is in shared memory.
  };
  std::optional<Warpgroup> wgmma;

  /// Copies of 4 to 16 bytes by each thread; absent: the device has none.
  struct AsyncCopy {
    double interval = 0;  ///< Clocks between two that a partition issues; 0: as of loads.
    double line = 0;      ///< Clocks between two lines of one; 0: as of loads.
    double narrow = 0;    ///< Clocks of the load/store pipeline a word, of fewer than 16 bytes.
    double extra = 0;     ///< Clocks from when a load would be there to what waited for the copy.
  };
  std::optional<AsyncCopy> async_copy;

  /// Copies of many bytes by an engine of the SM; absent: the device has none.
  struct BulkCopy {
    double latency = 0, store_latency = 0;            ///< Clocks from issue to its last byte...
    double bandwidth = 0, store_bandwidth = 0;        ///< ...and more for each, in B/clock.
    double l2_bandwidth = 0, l2_store_bandwidth = 0;  ///< Of all SMs together; 0: no limit.
    double interval = 0;                              ///< Clocks of the engine for the smallest.
    std::optional<double> tensor_latency;             ///< `latency` of a box of a tensor.
    double map = 0;  ///< More clocks of an SM's first box in a launch: the tensor's map comes.
    double row = 0;  ///< Clocks of the engine for a row of a box.
  };
  std::optional<BulkCopy> bulk_copy;

  /// Absent: the device has none.
  struct Mbarriers {
    double arrive = 0;  ///< Clocks to the state.
    double test = 0;    ///< Clocks to the predicate.
  };
  std::optional<Mbarriers> mbarrier;

  std::uint32_t loads_per_warp = 0;  ///< Scoreboard; 0: no limit.

  std::uint64_t coalescer_line = 128;
  CoalescingRule coalescing = CoalescingRule::lines;

  struct LoadStore {
    std::uint32_t pipelines = 1;
    double clocks_per_load = 0;
    double clocks_per_lane = 0;
    double writeback_per_lane = 0;
    double issue = 0;        ///< Clocks between two accesses that a partition issues; 0: no limit.
    double issue_store = 0;  ///< The same of stores to global memory; 0: as `issue`.
    double registers = 0;    ///< Machine code: the same, for each register that an access reads.
    double read = 0;         ///< Machine code: clocks until an access has read its registers.
    double split = 0;        ///< More clocks to the result of a load for each further line.
    double narrow = 0;       ///< Least clocks of a load of words of less than 4 B.
    double banks_line = 0;   ///< Clocks that a pass of a load keeps the banks of shared memory.
    bool coalesced = false;  ///< True: as if the words of a warp lay side by side. Of no device.
  } lsu;

  struct Mshr {
    std::uint32_t entries = 0;
    std::uint32_t merges = 1;
  };
  std::optional<Mshr> mshr;

  struct Prt {
    std::uint32_t entries = 0;
    std::uint32_t overflow_requests = 0;
  };
  std::optional<Prt> prt;

  /// One level of any hierarchy: data, texture, constants, code, translations.
  struct Cache {
    std::uint64_t capacity = 0;
    std::uint64_t line = 0;
    std::uint32_t ways = 0;
    double latency = 0;          ///< Clocks that one lane sees, from issue to result.
    std::string policy = "lru";  ///< A name of policy/policy.h, with the fields of its own.
    PolicySettings policy_settings = {};
    /// Ways of each set where they differ; then `capacity` and `ways` follow from them.
    std::vector<std::uint32_t> set_sizes = {};
    /// Bit i of a set's number is the parity of these address bits; empty: line number modulo sets.
    std::vector<std::uint64_t> set_bits = {};
    /// The number that set_bits make is taken modulo the sets.
    bool set_modulo = false;
    /// The parity of these address bits is a line's side: half of the sets each; 0: no sides.
    std::uint64_t side_bits = 0;
    std::uint64_t sector = 0;  ///< What a miss fetches; 0: the line.
    Scope scope = Scope::sm;
    double bandwidth = 0;         ///< B/clock of the level; 0: no limit.
    double bandwidth_per_sm = 0;  ///< B/clock that one SM gets of it; 0: no limit.
    double miss = 0;              ///< Extra clocks of a miss that L2 serves.
    double miss_dram = -1;        ///< And of one that DRAM serves; below 0: as `miss`.
    double lookup = 0;            ///< Clocks of each line that a warp's load asks for.
    double missed = 0;            ///< The same of a line that is not there.
    double dirty = 0;             ///< Part of its lines behind a flush that are not written back.
    std::uint32_t tag_banks = 1;  ///< Of which each looks up its own lines, by their numbers.
    std::uint32_t banks = 0;  ///< Of 4 B, from which a load of several lanes reads; 0: no limit.

    std::uint64_t lines() const { return capacity / line; }
    std::uint64_t sets() const {
      return set_sizes.empty() ? capacity / (line * ways) : set_sizes.size();
    }
    CacheShape shape() const { return {sets(), ways, set_sizes, policy_settings}; }
  };
  std::optional<Cache> l1;
  std::optional<Cache> l2;

  /// L2 in two partitions (l2.side_bits), near to some SMs and far from the others.
  struct Partitions {
    std::vector<std::uint32_t> sides;  ///< By TPC; empty: the first half of the TPCs has side 0.
    /// Extra clocks of an access by the SM's side and the address's: 00, 01, 10, 11.
    std::array<double, 4> extra{};
    std::size_t given = 0;  ///< How many of these a device file gives.
    bool copies = false;    ///< What was found far leaves a copy near...
    double bandwidth = 0;   ///< B/clock from either partition to the SMs of the other; 0: no limit.
    bool keeps_copies = false;  ///< ...which stores from there keep true.
  };
  std::optional<Partitions> partitions;

  /// Slices of L2, each with a queue of its own; absent: requests do not wait for each other there.
  struct Slices {
    std::uint32_t count = 1;
    double bandwidth = 0;             ///< B/clock of a slice.
    std::vector<double> distances{};  ///< Extra clocks of an access, by slice; empty: none.
    double request = 0;               ///< Least clocks for what an access wants of a line.
    double store_request = 0;         ///< The same of a store.
    double store = 0;                 ///< Least clocks for a sector that is stored...
    double partial = 0;               ///< ...in part, or to which atomics add.
    double shared = 1;                ///< Part of a load's time for which stores wait.
  };
  std::optional<Slices> slices;

  /// Atomics on global memory; absent: they wait for one another in no other way than stores.
  struct Atomics {
    double request = 0;           ///< Clocks of an SM for each request...
    double lane = 0;              ///< ...and more for each further lane of one address.
    double address = 0;           ///< Clocks of L2 between two atomics on one address.
    double access = 0, line = 0;  ///< Clocks of an SM for each access, and for each line of it.
    /// Clocks by which requests of an SM may be ahead of their lines and of half of their lanes.
    double burst = 0;
    /// Address bits that tell the units of L2 which lie in a row, of as many as slices; empty: each
    /// sector has its own unit.
    std::vector<std::uint32_t> unit_bits = {};
    double turn = 0;  ///< Clocks of a unit for lanes of different addresses; 0: as `address`.
    double real = 0;  ///< As `address`, of floating point.
    double after_store = 0;  ///< Clocks of a store to a line that some were done on.
    /// Reductions of an SM, of which nothing returns, whose registers are read before their turn.
    std::uint32_t queue = 0;
  };
  std::optional<Atomics> atomics;

  struct Dram {
    double latency = 0;    ///< Clocks that one lane sees, from issue to result, with no queue.
    double departure = 0;  ///< Clocks between two lines.
    double write_departure = -1;  ///< Of a line that is written; below 0: as `departure`.
    double turn = 0;        ///< More clocks of a line that is read after a write, or the reverse.
    double dirty = 0;       ///< More clocks of a line for which one that was written to must leave.
    std::uint64_t row = 0;  ///< Bytes that one activation opens; 0: activations take no time.
    double activate = 0;    ///< Clocks of a fill more whose row is not open.
    double least = 0;       ///< Fills that parts of a line take at least; 0: their sectors, whole.
    unsigned banks = 0;     ///< Lines are hashed to them; 0: reads do not wait for banks.
    double bank = 0;        ///< Clocks for which a fill occupies its bank.
    unsigned gather = 0;    ///< Fills that a bank writes at once; 0: reads do not wait for writes.
    double refresh = 0;     ///< Clocks for which a line that is refreshed has to wait at most.
    double refresh_every = 0;  ///< Clocks from one refresh of a line to its next.
    /// Clocks that a read at any time waits for a refresh, in the mean: part of `latency`.
    double mean_wait() const { return refresh > 0 ? refresh * refresh / (2 * refresh_every) : 0; }
  } dram;

  /// Bytes that DRAM hands over at once: a sector of L2, or a line; a request, without L2.
  std::uint64_t fill_bytes() const {
    return !l2 ? coalescer_line : l2->sector != 0 ? l2->sector : l2->line;
  }

  /// Each SM's own queue to the memory (Hong 2009, Fig. 9).
  struct MemoryQueue {
    double coalesced = 0;    ///< Clocks between two transactions of coalesced accesses...
    double uncoalesced = 0;  ///< ...and of others.
    double bandwidth = 0;    ///< B/clock of all SMs that have blocks together; 0: no limit.
    /// Requests of one access in one aligned block of so many bytes depart together; 0: none do.
    std::uint64_t line = 0;
    double returned = 0;  ///< B/clock that come back to the SM, whole requests; 0: no limit.
  };
  std::optional<MemoryQueue> memory_queue;

  /// What each SM keeps of its stores to global memory; absent: no warp waits for a store.
  struct StoreBuffer {
    std::uint32_t entries = 0;  ///< Requests that have not departed.
    double interval = 0;        ///< Clocks between two departures.
    double line = 0;  ///< More clocks for each line with a request of less than all of it.
    /// Stores before them, those to shared memory too, whose registers have been read; 0: none.
    std::uint32_t queue = 0;
    std::uint32_t pending = 0;  ///< Those whose warps go on, in all partitions; 0: as `queue`.
    /// Lines that may wait where a store joins one that waits; 0: none does.
    std::uint32_t window = 0;
  };
  std::optional<StoreBuffer> store_buffer;

  /// Levels, the first asked first; those that a device lacks are absent.
  template <std::size_t levels>
  using Levels = std::array<std::optional<Cache>, levels>;

  struct Translation {
    Levels<3> tlb;
  };
  Translation translation, texture_translation;
  struct PageWindow {
    std::uint64_t bytes = 0;  ///< 0: all page tables are active.
    double latency = 0;       ///< Extra clocks of an access outside of it.
  } page_window;

  /// What lies behind the caches of a read-only space.
  struct Behind {
    double latency = 0;                ///< Clocks of an access that memory serves.
    std::optional<double> l2_latency;  ///< Served by L2; nullopt: L2 is passed by.
    double bandwidth = 0;              ///< B/clock to one SM of what its caches miss; 0: no limit.
  };

  struct Shared {
    double latency = 0;
    std::uint32_t banks = 0;  ///< 0: no conflicts.
    bool conflicts = true;    ///< False: as if no lanes met in a bank. Of no device.
    std::uint64_t width = 4;  ///< B of a bank's row.
    std::uint64_t word = 4;   ///< B that lie in one bank before the next begins.
    std::uint32_t lanes = 32;
    double pass = 0;                     ///< Clocks of each pass after the first.
    double busy = -1;                    ///< Clocks that a pass keeps the banks; below 0: `pass`.
    double atomic = 0;                   ///< The same of each lane of an atomic in one bank.
    double partition_pass = 0;           ///< Clocks that a pass keeps the partition of its warp.
    double returned = -1;                ///< Clocks of a word of a load; below 0: `lsu.issue`.
    std::vector<std::uint32_t> modes{};  ///< What `word` can be set to; empty: it cannot.
    /// Bytes of shared memory that the split with L1 can give; empty: each has its own.
    std::vector<std::uint64_t> splits{};
    /// B of all lanes that a pass serves; wider words make several groups of lanes. 0: any.
    std::uint64_t group = 0;
  } shared;

  struct Constant : Behind {
    double clocks_per_address = 0;
    double pass = 0;    ///< Clocks that an address keeps the SM's other accesses from constants.
    bool lost = false;  ///< Its caches begin each launch empty.
    /// Bytes of the lines that an SM has at hand for uniform loads of machine code, which then wait
    /// for nothing; 0: these are loads as others.
    std::uint64_t uniform = 0;
    Levels<3> level;
  } constant;

  struct Instruction : Behind {
    std::uint64_t bytes = 8;     ///< Of an instruction.
    std::uint64_t fetch = 64;    ///< What a warp fetches at once.
    std::uint64_t prefetch = 0;  ///< How far ahead; 0: not at all.
    Levels<3> level;
    std::array<int, 3> same_as = {-1, -1, -1};  ///< The level of `constant` that it is.
  };
  std::optional<Instruction> instruction;

  struct Texture : Behind {
    Levels<2> level;
  };
  std::optional<Texture> texture;
  /// Textures are read through L1, so many clocks slower than loads; nullopt: they are not.
  std::optional<double> unified_texture;
  bool cached_local = false;  ///< L1 holds local memory; its stores go on to L2.
  double local_sooner = 0;    ///< Clocks by which it hits sooner there than global memory.
  /// Bytes that shared memory and the data of L1's lines divide (shared.splits); 0: each has its
  /// own. L1's tags are those of `l1->capacity`, whatever the split.
  std::uint64_t l1_unified = 0;
  std::uint64_t l1_unused = 0;  ///< Bytes of `l1_unified` that neither of them has.
  bool l1_stores = false;       ///< L1 keeps what is stored to global memory.
  bool l2_fills = false;        ///< A part of a sector that leaves L2 is filled from DRAM before.

  /// By TPC: extra clocks of what leaves it; empty: none.
  std::vector<double> interconnect_offsets;
  /// Extra clocks of what leaves a TPC for a slice of L2: by TPC, then by slice; empty: none.
  std::vector<std::vector<double>> slice_distances;
  /// Bit i of a slice's number is the parity of these address bits; the number modulo the slices.
  std::vector<std::uint64_t> slice_bits;

  struct Barrier {
    double latency = 0;   ///< Clocks from the last arrival to the next issue.
    double per_warp = 0;  ///< More clocks for each further warp that waited.
    /// Arrivals that the SM's barriers hold before a warp that arrives waits for its turn: they
    /// take `per_warp` each, and until the barrier is complete a warp issues what computes, but
    /// nothing that goes to memory or to a unit that all partitions share. 0: a warp does nothing.
    std::uint32_t queue = 0;
  } barrier;

  /// Blocks that reach each other's shared memory, over the network between the SMs of a GPC.
  struct Cluster {
    std::uint32_t most = 0;         ///< Blocks.
    double line = 0;                ///< Clocks of a load for each row of banks that it reads.
    double latency = 0;             ///< Clocks of a load from another SM of the GPC...
    std::vector<double> positions;  ///< ...and more for both, by place in it; the last beyond.
    double own = 0;                 ///< Of the block's own memory by an address of the cluster.
    double atomic = 0;              ///< More clocks of an atomic.
    /// What an SM sends, and what it receives: B/clock of loads and of stores (0: no limit), and
    /// clocks more for each access of a warp.
    double bandwidth = 0, store_bandwidth = 0, request = 0, store_request = 0;
    double barrier = 0;                 ///< From the last arrival to the next instruction...
    std::vector<double> barrier_steps;  ///< ...and more by blocks: 1, 2, up to 4, 8, ...
    double per_warp = 0;                ///< Clocks until an SM counts the next warp's arrival.
    double release = 0;                 ///< Clocks of an arrival that publishes accesses...
    std::vector<double> release_steps;  ///< ...and more by blocks.
    double release_behind = -1;  ///< Of them, those behind the end of the accesses; < 0: all.
    double release_warp = 0;     ///< Clocks until an SM begins to publish for the next warp.
    bool last_tpc = false;       ///< Blocks that one TPC holds take its GPC's last with room.
  };
  std::optional<Cluster> cluster;

  struct ClockRegister {
    double cost = 0;  ///< Clocks from a read to the warp's next instruction.
    double granularity = 1;
    /// SMs of one domain share a counter; the counters of two domains differ.
    enum class Domain { sm, tpc, gpu } domain = Domain::gpu;
  } clock_register;

  struct Noise {
    double jitter = 0;  ///< Largest extra clocks of a request, uniform from 0.
    double outlier_probability = 0;
    double outlier = 0;  ///< Extra clocks.
  } noise;

  /// Another process that uses the device in bursts; absent: none does.
  struct Tenant {
    double duty = 0;     ///< Of the time, that its bursts take.
    double burst = 0;    ///< Clocks of a burst, on average.
    double slice = 0;    ///< Clocks of a time slice, in which it alone runs; 0: it runs beside.
    double latency = 0;  ///< Largest extra clocks of a request during its bursts.
    std::uint64_t lines = 0;   ///< Of L2, that it brings in a slice, or in 1,000 clocks beside.
    std::uint64_t memory = 0;  ///< Bytes that it has allocated.
    bool listed = false;       ///< The driver lists its process.
    std::uint64_t seed = 0;    ///< Of its bursts' lengths.
  };
  std::optional<Tenant> tenant;

  std::uint64_t watchdog_instructions = 0;

  std::string base_text;  ///< Of the file that this one is based on; empty: on none.

  /// Paths of the fields that carry neither a source nor a reason why they are assumed.
  std::vector<std::string> without_source;
};

/// Reads the text of a device file; `name` stands for it in messages.
/// Errors: every mistake of the file, each with its line.
Result<Description> parse_description(const std::string& name, const std::string& text);
/// The same for a file from anyone: the program that it is runs in a process of its own.
Result<Description> parse_description_file(const std::string& name, const std::string& text);

}  // namespace gpx::vgpu::timing
