// Counts: what the warps of a kernel execute, as hong2009's Table 1 counts it.
//
// The kernel's blocks are executed plainly (exec/run.h) on a memory that is filled as the launch
// says; no clock, no device description. What counts as what:
//   memory        ld, st, atom, red that reach global memory (or local, which lies there too)
//   computation   all other PTX instructions, also shared, constant and texture accesses (section
//                 3.6: their latency is nearly that of a register), branches and barriers; but not
//                 those that a final assembler folds into others (ptx::Instruction::folds): PTX of
//                 2009 had hardly any. They are counted apart.
//   barrier       bar.sync and the like: computation, and counted again by themselves, as
//   section 3.6
//                 counts lines 8 and 13 of Figure 13 among its 9 computation instructions
// An access whose guard lets no lane through takes an issue slot and no memory: computation.
// Covered by tests/vgpu/kernel_counts_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/compile/artifact.h"
#include "codegen/ir/program.h"
#include "lang/diagnostic.h"
#include "runtime/device/vgpu/exec/coalescing.h"
#include "runtime/device/vgpu/exec/device_library.h"
#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu {

/// Where so many blocks of a larger grid were looked at: what no more than this share of the grid
/// does is missed by 5 % of such samples, or more (1 - 0.05^(1/n), the rule of three).
constexpr double unseen_share(double blocks) {
  return blocks > 3 ? 3 / blocks : 1;
}

/// Averages over the executed warps; each number is of one warp.
struct KernelCounts {
  double computation = 0;  ///< Barriers included.
  double coalesced = 0;    ///< Memory instructions that are.
  double uncoalesced = 0;
  double barriers = 0;
  // What the MWP/CWP model takes for any other instruction of its kind.
  double slow = 0;     ///< Computation of doubles and special functions.
  double atomics = 0;  ///< Memory instructions that are.
  double reloads = 0;  ///< Of the lines of 128 B that loads ask for: the share that the block had
                       ///< asked for before.
  double shared_accesses = 0;   ///< Computation that accesses shared memory.
  double shared_conflicts = 0;  ///< Passes of shared memory beyond the first of each access.
  double folded = 0;            ///< PTX instructions that cost nothing; not in the above.
  double transactions_per_coalesced = 0;  ///< 0 where there is none.
  double transactions_per_uncoalesced = 0;
  double bytes_per_access = 0;     ///< Of a warp: what its transactions move.
  double needed_per_access = 0;    ///< What lanes ask for of them.
  std::uint64_t shared_bytes = 0;  ///< Static, of a block.
  bool rereads = true;             ///< Blocks may read what the launch writes.
  std::uint64_t blocks_executed = 0, blocks = 0;
  /// Of a sample: half the 95 % interval of the instructions of a block over their mean, as far as
  /// the blocks that were executed show how they differ.
  double sample_error = 0;
  double unseen = 0;     ///< Of a sample: unseen_share().
  double deviation = 0;  ///< Of the instructions of a block, over their mean; infinite: not known.
  double largest = 1;    ///< Of the blocks that were executed, over their mean.
  /// No block reads what another one writes. Otherwise all blocks were executed.
  bool independent = true;
  /// A block may wait for what another one writes: it loads that volatile or ordered.
  bool awaits = false;
  /// Instructions of the blocks that were executed, and of the grid's last one where it is longer
  /// than the sample's by kLongEnd.
  std::vector<SampledBlock> executed;
  std::uint64_t warps_executed = 0;
  exec::DeviceOutput output;  ///< Of the executed blocks.

  double memory() const { return coalesced + uncoalesced; }
};

struct CountOptions {
  std::uint64_t most_instructions = 40'000'000;  ///< Of warps, over all blocks; more is an error.
  /// All blocks are executed where they take about so many at most.
  std::uint64_t whole_instructions = 4'000'000;
  /// Else blocks from all over the grid: some 300, or as many as take `enough`; up to `most_enough`
  /// as long as they differ (the mean is not known to kGoodSampleError), and beyond it all where
  /// those are half of the grid and still differ (by more than `fair_error`).
  std::uint64_t enough_instructions = 4'000'000, most_enough_instructions = 16'000'000;
  /// From `fair` instructions on a mean is good enough that is known to `fair_error`.
  std::uint64_t fair_instructions = most_enough_instructions;
  double fair_error = kGoodSampleError;
  /// The grid's last block beside such a sample; of one that takes more nothing is said.
  std::uint64_t last_instructions = 4'000'000;
  /// All blocks where they depend on each other, or may; more is an error.
  std::uint64_t dependent_instructions = 100'000'000;
  bool whole = false;                       ///< All blocks, whatever they take.
  std::uint64_t resident = 1024;            ///< Blocks that the device holds at once.
  const std::atomic<bool>* stop = nullptr;  ///< Set: an error.
};

/// What else is known of an error of count().
struct CountFailure {
  int line = 0;            ///< Of the PTX; 0: not known.
  bool dependent = false;  ///< Blocks depend on each other, and are too many to be executed.
  bool stopped = false;
};

/// A kernel whose PTX has been parsed once and is counted at many launches.
class KernelCounter {
 public:
  /// Errors: PTX that the interpreter does not know, with its line (Diagnostic::location).
  static Result<KernelCounter> make(const std::string& ptx, const std::string& symbol);
  /// The same of a compiled kernel; one that came as a cubin is counted by its machine code.
  static Result<KernelCounter> make(const codegen::Artifact& artifact);
  ~KernelCounter();
  KernelCounter(KernelCounter&&) noexcept;
  KernelCounter& operator=(KernelCounter&&) noexcept;

  /// `launch.fills` and `launch.arguments` say what the kernel is given.
  /// Errors: a trap, an endless loop, a deadlock, blocks that depend on each other and are too
  /// many.
  Result<KernelCounts> count(const codegen::Launch& launch, CoalescingRule rule,
                             const CountOptions& options = {},
                             CountFailure* failure = nullptr) const;
  std::uint64_t static_shared_bytes() const;
  std::uint64_t argument_bytes() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit KernelCounter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpx::vgpu
