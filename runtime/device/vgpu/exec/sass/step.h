// Step: an instruction of machine code as the executor runs it, between decoded words and handlers.
//
// Registers have 32 bits each, wider values lie in several. What the PTX front end computes, a step
// has it compute: it gathers its sources into rows as that expects them, runs the handler, and
// spreads the result. Carries, predicates and addresses, which PTX has in other forms, have
// handlers of their own. Covered by tests/vgpu/machine_code_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/vgpu/exec/context.h"
#include "runtime/device/vgpu/exec/sass/pipes.h"

namespace gpx::vgpu::exec::sass {

/// A source that is brought into a row of its own.
struct Input {
  enum class Kind : std::uint8_t {
    bits,     ///< (lo | hi << 32) & keep ^ flip
    minus,    ///< Its opposite, of 32 bits.
    real64,   ///< As bits, but a NaN keeps its sign.
    low,      ///< The lower half twice, then & keep ^ flip.
    high,     ///< The upper half twice.
    active,   ///< The mask of the executing lanes.
    global,   ///< An address: lo and hi, a second pair, an offset.
    shared,   ///< The same of 32 bits, as the window of the lane's block.
    local,    ///< The same in local memory.
    generic,  ///< As global; addresses of other spaces become those of the executor's windows.
  };
  Kind kind = Kind::bits;
  std::int32_t lo = 0, hi = kNone;  ///< Rows, as Op::a.
  std::int32_t lo2 = kNone, hi2 = kNone;
  std::int32_t to = 0;
  unsigned shift = 0;  ///< Bits that are dropped below; of addresses, a scale.
  std::uint64_t keep = ~0ull, flip = 0;
  std::int64_t offset = 0;

  static constexpr std::int32_t kNone = INT32_MIN;
};

/// A row of 64 bits whose halves go to two registers.
struct Output {
  std::int32_t from = 0, lo = 0, hi = 0;
};

/// A predicate that is read: a row and whether its opposite counts.
struct Truth {
  std::int32_t row = 0;
  bool negated = false;
};

/// A source of an own handler: (row ^ flip) + plus, so that ~x and -x are one thing.
struct Word32 {
  std::int32_t row = 0;
  std::uint32_t flip = 0, plus = 0;
};

struct Step {
  Handler run = nullptr;  ///< Behind the inputs, with `inner`.
  Op inner;
  std::vector<Input> inputs;
  std::vector<Output> outputs;

  // Of own handlers.
  Word32 a, b, c;
  std::int32_t c_high = 0, a_high = 0;
  std::int32_t d = 0, d_high = 0;
  std::int32_t p = 0, q = 0;  ///< Predicates that are written.
  Truth u, v, w;              ///< Predicates that are read.
  std::uint32_t number = 0, second = 0;
};

/// A constant row that a launch fills in: four bytes of a bank.
struct LaunchConstant {
  std::size_t row = 0;  ///< Of Program::constants.
  unsigned bank = 0;
  std::uint32_t offset = 0;
};

/// Eight bytes of a bank that are an address.
struct BankAddress {
  unsigned bank = 0;
  std::uint32_t offset = 0;
  ptx::Space space = ptx::Space::none;  ///< none: of code, or of a driver's function.
  std::uint64_t value = 0;
};

/// A scoreboard has a place for each instruction that sets it, up to so many: instructions that
/// share one wait for each other. A GPU counts to 63; the places of all six are numbers below
/// kNoPlace.
inline constexpr unsigned kScoreboards = 6, kMostPlaces = 40;
inline constexpr std::uint8_t kNoPlace = 255;

/// Its places are numbers from `first` on.
struct Board {
  unsigned first = 0, places = 0;
};

/// What the assembler and the table of operations tell the timing model. The scoreboards that an
/// instruction waits for and sets are its registers (ptx::Instruction::reads, writes).
struct Issue {
  std::uint8_t stall = 1;
  std::uint8_t pipe = 0;                ///< Of pipes().
  std::uint8_t words = 0;               ///< Registers that it writes.
  std::array<std::uint8_t, 2> banks{};  ///< Registers of arithmetic, the even and the odd ones.
  /// It reads, as the first one, a wide product of so many instructions before it; 0: none.
  std::uint8_t product = 0;
  bool early = false;     ///< And has it before others would.
  std::uint8_t read = 0;  ///< Registers that an access to memory reads: its address and data.
  /// Place of the scoreboard that is told when they are read; kNoPlace: none is.
  std::uint8_t sources = kNoPlace;
  bool commits = false;    ///< Products of a warpgroup up to this one are a group.
  bool publishes = false;  ///< A fence for the other blocks of a cluster.
  bool uniform = false;    ///< A load of a constant into uniform registers.
  bool falls = false;      ///< A branch that may not be taken.
  bool yields = false;     ///< The scheduler prefers other warps then.
  bool apart = false;      ///< No other SM sees what it does, or does what it sees.
  std::uint8_t waits = 0;  ///< Scoreboards that it waits for, a bit each: its reads.
};

struct MachineProgram {
  std::vector<Step> steps;   ///< By instruction.
  std::vector<Issue> issue;  ///< By instruction.
  std::array<Board, kScoreboards> boards;
  std::int32_t sink = 0;  ///< A row that nothing reads.
  std::vector<LaunchConstant> launch_constants;
  std::vector<BankAddress> addresses;
  std::map<unsigned, std::vector<std::uint8_t>> banks;  ///< But 0 and 3.
  std::uint32_t parameters_begin = 0;                   ///< In bank 0.
  std::vector<std::string> texts;
};

/// Upper halves of the generic addresses of shared and of local memory.
inline constexpr std::uint64_t kSharedHigh = 0x7f00, kLocalHigh = 0x7e00;
/// Bytes at the begin of local memory by which arguments of the driver's functions are passed.
inline constexpr std::uint64_t kPassedBytes = 64;
/// Addresses of the driver's functions, above all code: by ptx::Builtin, 16 bytes apart.
inline constexpr std::uint64_t kBuiltinCode = 1ull << 28;

inline const MachineProgram& program_of(const Context& c) {
  return *c.machine.program->machine;
}
inline const Step& step_of(const Context& c, const Op& op) {
  return c.machine.steps[op.list];
}

/// Gathers, runs, spreads. The op's list is its step.
void run_step(Context& c, const Op& op);

/// An address of shared memory as the executor has it.
std::uint64_t shared_address(const Context& c, std::uint32_t address);

}  // namespace gpx::vgpu::exec::sass
