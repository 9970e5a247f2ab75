// PTX as data: what the parser makes of a PTX text and the interpreter executes.
//
// Registers are numbered densely for each function and hold 64 bits a lane (f16x2, f32 and smaller
// in the low bits); predicates are registers that hold 0 or 1. Covered by tests/vgpu/ptx_test.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  e4m3x2,  ///< Two numbers of 8 bits: 4 of exponent, 3 of fraction; no infinity.
  e5m2x2,
  tf32,  ///< A single precision number of which 10 bits of the fraction count.
  e4m3,
  e5m2,
  b1,  ///< A bit, 32 of which are in a register: factors of mma alone.
  u4,  ///< Four bits, eight of which are in a register, likewise.
  s4,
  u16x2,  ///< Two numbers in a register of 32 bits.
  s16x2,
};
inline constexpr Type kLastType = Type::s16x2;
unsigned bytes_of(Type type);

enum class Space : std::uint8_t { none, global, shared, local, constant, param, texture };

/// Which part of an SM an instruction keeps busy. The timing model and the op tables speak of
/// units; finer costs are keyed by Instruction::name.
enum class Unit : std::uint8_t {
  none,  ///< costs nothing: see Instruction::folds
  alu,   ///< integer and single precision
  fp64,
  sfu,         ///< rcp, rsqrt, sqrt, sin, cos, ex2, lg2, tanh
  load_store,  ///< ld, st, atom, red of every space
  texture,
  branch,      ///< bra, call, ret, exit
  barrier,     ///< bar, barrier
  fence,       ///< membar, fence
  warp,        ///< shfl, vote, match, redux, activemask
  tensor,      ///< mma
  async_copy,  ///< cp.async, and what waits for it
  bulk_copy,   ///< cp.async.bulk, likewise
  mbarrier,
  wgmma,  ///< wgmma: products of a warpgroup, and what waits for them
  clock,  ///< a read of %clock, %clock_hi, %clock64, %globaltimer
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,        ///< `index`; of 128 bits (`count` 2) the upper half is in the next one. Of a
                ///< video instruction `offset` says which part: VideoPart
    immediate,  ///< `bits`, already converted to the instruction's type
    special,    ///< `index` is a SpecialRegister
    address,    ///< [register `index` + offset], or [`bits` + offset] where index is kNoRegister;
                ///< `count` bytes wide register; `negated`: `bits` counts from the module's globals
    label,      ///< `bits` is the target's instruction index
    symbol,     ///< the address of a variable: `bits` within its space, which is Space(`index`)
    vector,     ///< `count` registers from Function::vectors[index]
    builtin,    ///< what a call means: `bits` is a Builtin
  };
  static constexpr std::uint16_t kNoRegister = 0xffff;
  Kind kind = Kind::none;
  bool negated = false;  ///< !p of a predicate operand, -x of a float operand
  std::uint8_t count = 1;
  std::uint16_t index = kNoRegister;
  std::int32_t offset = 0;
  std::uint64_t bits = 0;
};

enum class SpecialRegister : std::uint16_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  pm,  ///< %pm0 and the like, which nothing counts: 0
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  envreg1,  ///< The upper and the lower half of the address of a cooperative grid's workspace.
  envreg2,
  reserved_shared,  ///< Where shared memory begins that the toolkit's headers keep for themselves.
};

/// Functions that have no body in any text: the driver brings them.
enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free };

struct Instruction {
  std::string_view name;      ///< Op without types and modifiers that do not change it: "mul.lo",
                              ///< "ld", "setp", "div.full". Points into the op table.
  std::uint16_t op = 0;       ///< Index into the op table (ptx/ops.h).
  Type type = Type::none;     ///< The type that the op works on.
  Type type2 = Type::none;    ///< Source type of cvt, set and the like; of mma the first factor's.
  Type type3 = Type::none;    ///< Of mma, the second factor's.
  std::uint16_t columns = 0;  ///< N of wgmma.mma_async; shape and layouts of wmma (ptx/wmma.h).
  Space space = Space::none;
  std::uint32_t modifiers = 0;  ///< Bits of ptx/ops.h: rounding, comparison, .ftz, .sat, scope, ...
  Unit unit = Unit::alu;
  bool folds = false;  ///< A final assembler would fold it away (docs/vgpu.md has the
                       ///< rule): it costs neither issue slot nor latency.
  std::uint16_t guard = Operand::kNoRegister;  ///< Predicate register, or kNoRegister.
  bool guard_negated = false;
  std::vector<Operand> operands{};      ///< Destinations first, in the order of the text.
  std::vector<std::uint16_t> reads{};   ///< Registers read, the guard included.
  std::vector<std::uint16_t> writes{};  ///< Registers written.
  std::int32_t reconvergence = -1;  ///< For bra: index of the immediate post-dominator; -1: exit.
  /// For bra: index of an instruction before that, where all lanes meet that come to it; others
  /// leave the function, or go by. -1: none.
  std::int32_t gathering = -1;
  int line = 0;  ///< Line in the PTX text.
};

/// An initial value, or bytes of one, that is an address. Where the spaces lie is known at launch.
struct Relocation {
  std::uint64_t offset = 0;    ///< Within the variable.
  std::uint64_t mask = ~0ull;  ///< Those bits of the address, shifted down to bit 0.
  std::uint8_t bytes = 8;      ///< As many are written.
  bool generic = false;        ///< Of the generic space; else of the symbol's own.
  Space space = Space::none;   ///< none: a function's address, complete.
  std::uint64_t address = 0;   ///< Within `space`.
};

struct Variable {
  std::string name{};
  Space space = Space::none;
  std::uint64_t address = 0;  ///< Offset within its space.
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  std::vector<std::uint8_t> initial{};  ///< Empty: zeros.
  std::vector<Relocation> relocations{};
};

/// Room for what an executor derives from a function once (exec/decode.h). Any thread may fill it;
/// a copy of the function starts without.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) {}
  Prepared& operator=(const Prepared&) {
    value_.store(nullptr);
    return *this;
  }
  std::shared_ptr<const void> get() const { return value_.load(); }
  void set(std::shared_ptr<const void> value) const { value_.store(std::move(value)); }

 private:
  mutable std::atomic<std::shared_ptr<const void>> value_;
};

struct Function {
  std::string name;
  bool is_entry = false;
  std::vector<Variable> parameters;  ///< In order; address is the offset in the param block.
  std::vector<Variable> returns;     ///< Of a device function.
  std::vector<Instruction> instructions;
  std::vector<std::vector<Operand>> vectors;
  std::vector<std::string> unsupported;  ///< Why, of OpId::unsupported by its operand's bits.
  bool address_taken = false;            ///< Some text or initial value has its address.
  std::uint32_t registers = 0;
  /// Of the param block.
  std::uint64_t parameter_bytes() const {
    return parameters.empty() ? 0 : parameters.back().address + parameters.back().bytes;
  }
  std::uint64_t shared_bytes = 0;  ///< Static shared memory, module variables included.
  std::uint64_t local_bytes = 0;   ///< A thread's frame: depot and .param variables of calls.
  /// What its directives bound a launch by; 0: the directive is absent.
  struct Bounds {
    std::uint32_t registers = 0;      ///< .maxnreg: machine registers of a thread.
    std::uint64_t threads = 0;        ///< .maxntid, .reqntid: of a block.
    std::uint32_t blocks_per_sm = 0;  ///< .minnctapersm
    /// .reqnctapercluster; zeros: the launch says it.
    std::array<std::uint32_t, 3> cluster{};
    bool clustered = false;  ///< .explicitcluster, .reqnctapercluster: launched in clusters.
  } bounds;
  Prepared prepared;
};

struct Module {
  std::string version;              ///< "9.0"
  std::string target;               ///< "sm_75"
  std::uint32_t shared_begin = 0;   ///< The lowest address of shared variables.
  std::vector<Variable> variables;  ///< Module scope: global, constant, shared.
  std::vector<Function> functions;
  /// Unsupported::keep: what could not be read, by name, and why.
  struct Unread {
    std::string name, why;
    int line = 0;
  };
  std::vector<Unread> unread;
  Prepared prepared;

  const Function* find(std::string_view name) const;
};

/// A function's address, as pointers hold it: below every window of the generic space. Its opposite
/// gives the index in Module::functions; nullopt: no function has that address.
inline std::uint64_t address_of_function(std::size_t index) {
  return 16 * (index + 1);
}
inline std::optional<std::size_t> function_at(std::uint64_t address) {
  if (address == 0 || address % 16 != 0) return std::nullopt;
  return address / 16 - 1;
}

/// What becomes of a statement that the virtual GPU does not support.
enum class Unsupported : std::uint8_t {
  refuse,  ///< An error.
  keep,    ///< An instruction that fails when it is executed: other kernels of a file may run.
};

/// Parses a whole PTX text. An instruction that the op table lacks, or a form of it that the
/// interpreter does not implement, is an error with its line: never a wrong answer later.
/// `name` stands for the text in messages.
Result<Module> parse(const std::string& name, const std::string& text,
                     Unsupported unsupported = Unsupported::refuse);
/// parse() with Unsupported::keep of the text "SYMBOL.ptx". Error: it has no entry of that name, or
/// one that cannot be read.
Result<Module> parse_entry(const std::string& symbol, const std::string& text);

}  // namespace gpx::ptx
