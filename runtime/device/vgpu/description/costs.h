// Costs: for each instruction of a function, what the timing model must know to issue it.
// Covered by tests/vgpu/timing_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/module.h"
#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::timing {

inline constexpr unsigned kUnits = static_cast<unsigned>(ptx::Unit::clock) + 1;
/// What can be booked: units, and the pipes of machine code behind them.
inline constexpr unsigned kIssueSlots = kUnits + exec::sass::kUnits;

struct Cost {
  enum class Kind : std::uint8_t {
    folded,      ///< free: no slot, no latency
    fixed,       ///< result after `latency`
    branch,      ///< the warp's next instruction after `latency`
    memory,      ///< what it costs is known when it is executed
    fence,       ///< waits for the warp's memory accesses
    clock,       ///< a read of the clock register
    bulk,        ///< a bulk copy, or what waits for it: `step`
    mbarrier,    ///< an operation on an mbarrier; a phase may be over later
    warpgroup,   ///< a product of a warpgroup, or what waits for it: `step`
    sleep,       ///< the warp's next instruction after as many nanoseconds as it is given
    async_copy,  ///< cp.async: a commit, a wait for groups, or an arrival behind them: `step`
    match,       ///< result after `latency`, and unit taken, by the different values of the lanes
  };
  Kind kind = Kind::fixed;
  ptx::Unit unit = ptx::Unit::alu;
  enum class Step : std::uint8_t { fence, product, commit, wait, arrive } step = Step::fence;
  bool is_load = false;     ///< memory: writes registers
  bool bypass_l1 = false;   ///< memory: .cg, .cs, .cv, volatile
  bool empties_l1 = false;  ///< fence: of the whole GPU, since Volta
  bool by_name = false;     ///< The device gives this instruction's cost, not its unit's alone.
  bool gaps = false;        ///< It may come too late for its turn at the unit.
  bool divided = false;     ///< The unit is that of the warp's partition.
  bool commits = false;     ///< warpgroup: the products up to this one are a group.
  bool leaves = false;      ///< It goes to memory or a unit of all partitions, or to a barrier.
  bool computes = false;    ///< What issues behind a barrier that is not complete.
  bool queues = false;      ///< memory: a store of machine code, which waits without its warp.
  bool publishes = false;   ///< fence: of machine code, to the blocks of the cluster.
  bool uniform = false;     ///< memory: of machine code, one word for the whole warp.
  bool yields = false;      ///< Of machine code: the scheduler prefers other warps then.
  bool falls = false;  ///< branch: where the next instruction follows, it may issue after `stall`.
  bool apart = false;  ///< Of machine code: outside of clusters it concerns its SM alone.
  unsigned slot = 0;   ///< That IssueSlots books: the unit's, of PTX or of machine code.
  unsigned other_slot = 0;  ///< That it books where it is free earlier.
  bool assembled = false;   ///< Of machine code: what is between two barriers is there.
  Clk stall = 1;            ///< Clocks until the warp's next instruction may issue.
  Clk latency = 0;
  Clk constant = 0;  ///< memory: of machine code, a load of a constant that the first level has.
  /// match: clocks of `latency` for each of 32 values but the first. mbarrier, of machine code: for
  /// each lane but the first, beyond `latency`.
  Clk value = 0;
  /// Units of its partition that take nothing else for so long; 0: none.
  std::array<unsigned, 2> held{};
  double holds = 0;
  double interval = 0;  ///< match: for each of them.
  /// memory, of machine code: the interval of an access that no lane makes.
  double interval_of_none = 0;
  double lane = 0;      ///< mbarrier: clocks of the unit for each lane but the first.
  double operands = 0;  ///< Clocks in which a partition reads them; 0: at once.
  /// Of machine code: clocks in which the even and the odd bank of registers hand them over.
  std::array<double, 2> collect{};
  /// memory, of machine code: clocks until its registers are read (0: its warp waits so long),
  /// place of the scoreboard that is told then, and clocks of the SM before it reads the next
  /// store's.
  Clk read = 0;
  std::uint16_t sources = exec::sass::kNoPlace;
  double store = 0;
  double returned = 0;  ///< memory, shared: clocks of a partition until its words are written.
  /// warpgroup: clocks that a product takes the tensor core of a scheduler, and until it is done.
  double product = 0, completion = 0;
  std::uint32_t number = 0;  ///< Machine instructions of the module before it.
};

/// An instruction as an SM issues it.
struct CostedInstruction {
  const ptx::Instruction* source = nullptr;
  Cost cost;
  /// Its registers, which lie in one place with those of the others: it reads [reads, writes) and
  /// writes [writes, end). Machine code that is not folded reads none: it waits for scoreboards, a
  /// bit each.
  const std::uint16_t *reads = nullptr, *writes = nullptr, *end = nullptr;
  std::uint8_t waits = 0;
};

/// The costs of all instructions that a launch of an entry function can execute.
class ModuleCosts {
 public:
  /// `module` must outlive it.
  ModuleCosts(const ptx::Module& module, const ptx::Function& entry, const Description& device);

  /// `pc`: as the executor counts (exec::Path::pc).
  const CostedInstruction& at(std::int32_t pc) const {
    return instructions_[static_cast<std::size_t>(pc)];
  }
  /// That an issue slot takes.
  std::uint32_t instructions() const { return count_; }
  /// Enough for frames of all functions of the module, one of each.
  unsigned registers() const { return registers_; }
  /// Of machine code; empty: of PTX.
  std::span<const exec::sass::Board> boards() const { return boards_; }

 private:
  void wait_for_products(std::span<const exec::sass::Issue> issue);
  void list_registers();

  std::vector<CostedInstruction> instructions_;  // by pc
  std::vector<std::uint16_t> touched_;           // registers, by instruction
  std::vector<exec::sass::Board> boards_;
  unsigned registers_ = 0;
  std::uint32_t count_ = 0;
};

std::string_view name_of(ptx::Unit unit);

/// What a device file may give costs for: these units, all but the optional ones...
const std::vector<std::string>& costed_units();
bool is_optional(std::string_view unit);
/// The optional units that the device does not have, those with a section of their own among them.
std::vector<std::string_view> lacking_units(const Description& device);
/// ...and any of these instructions, sorted: names alone ("mul.lo") and with what makes them more
/// specific ("mul.lo.u32", "mul.rn.f32", "atom.shared.add.u32"). Instructions whose costs have a
/// section of their own (loads, stores, barriers, fences) are not among them.
const std::vector<std::string>& costed_instructions();

}  // namespace gpx::vgpu::timing
