// Kernel IR: one kernel, small, typed, in single assignment form.
//
// Lowering makes it, verify() checks it, the emitter turns it into CUDA C++. It prints as text and
// parses back (`--dump=kernel`):
//
//   kernel load_unique_4B_cg_x2 {
//     threads 1024
//     param data : buffer
//     param never : u64
//     param pitch : u64
//     setup {
//       %t = thread
//       %o = mul.u64 %t, %pitch
//       %a0 = at %data, %o
//       ready %a0
//     }
//     timed {
//       %v0 = ld.global.b32.cg [%a0 + 0] @ 7
//       %v1 = ld.global.b32.cg [%a0 + 131072] @ 7
//       await %v0, %v1
//     }
//     observe latency
//   }
//
// `@ 7` is the line of the experiment that an instruction comes from. `ready` makes the start clock
// wait for what the timed region uses, `await` makes the end clock wait for what it loads.
// A timed region may branch. Before its operand, which the first region of a `while` defines:
//
//   when %c { ... } else { ... }       while { ... } %c { ... }       diverge %lane over 1, 0 { ...
//   }
//
// Covered by tests/codegen/kernel_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/experiment.h"
#include "lang/observe.h"
#include "lang/operations.h"

namespace gpx::codegen {

enum class Op : std::uint16_t {
#define GPX_OP(id, ...) id,
#include "codegen/ir/ops.def"
#undef GPX_OP
};

enum class Region : std::uint8_t { setup, timed, both };
/// The part of an SM that an op is there to exercise.
enum class Pipe : std::uint8_t { none, load_store };

/// A row of codegen/ir/ops.def.
struct OpInfo {
  std::string_view name;
  Region region;
  std::string_view operands;
  char result;
  Pipe pipe;
  std::uint32_t bytes;
  std::string_view spelling;
};
const OpInfo& info(Op op);

/// What a register holds. The enumerators are the letters of the op table.
enum class Type : char {
  buffer = 'b',   ///< A pointer to a buffer of the program.
  address = 'a',  ///< A global address, or one in shared memory.
  u64 = 'u',
  b32 = 'w',   ///< A loaded word; 8 and 16 bits are extended with zeros.
  b64 = 'd',   ///< Two words of 32 bits.
  b128 = 'q',  ///< Four words of 32 bits.
  wide = 'l',  ///< One register of 64 bits, which an atomic takes or gives.
  pred = 'p',  ///< True or false.
};
std::string_view to_string(Type type);
/// Registers of a loaded value: 32-bit words of a b32, b64, b128; 1 of a wide; 0 for the others.
std::uint32_t words(Type type);

/// Its name is a C identifier, unique in its kernel. The first registers are the parameters.
struct Register {
  std::string name;
  Type type = Type::u64;
  bool operator==(const Register&) const = default;
};

constexpr std::uint32_t kNoRegister = 0xffffffff;

struct Instruction {
  Op op = Op::thread;
  std::uint32_t result = kNoRegister;        ///< Index into Kernel::registers.
  std::vector<std::uint32_t> operands = {};  ///< Likewise.
  std::uint64_t immediate = 0;               ///< Of a load or store: bytes added to the address.
  CacheOp cache = CacheOp::unspecified;      ///< Loads and stores only.
  std::uint32_t line = 0;                    ///< Of the experiment's text; 0: none.
  std::string name =
      {};  ///< The letter n: a shared word, a stamp, a column, an array, an operation.
  /// operate: executions, independent chains. bulk_load, bulk_store: bytes in `count`.
  std::uint32_t count = 0, streams = 0;
  std::uint64_t target = 0;  ///< Of a copy: bytes added to the address in shared memory.
  /// Of a copy of a tensor: bytes of an element, then the box, its contiguous side first. Operands:
  /// the tensor's map, the box's first coordinate, bytes of a row, the address in shared memory;
  /// the last coordinate is `immediate`, those between are 0.
  std::vector<std::uint32_t> box = {};
  char source = 0;  ///< operate: the source that chains run through, 'a' ...; 0: the table's.
  OperandData data = OperandData::usual;  ///< operate: what a matrix product's operands hold.
  std::vector<std::uint32_t> values =
      {};  ///< diverge: what the selector is compared with, in order.
  /// when: then, otherwise. while: what computes the condition, the body. diverge: the body.
  std::vector<std::vector<Instruction>> regions = {};
  bool operator==(const Instruction&) const = default;
};

/// An array that a kernel chases. Its elements are links: byte offsets of the next element.
struct KernelArray {
  std::string name;  ///< Of the program's buffer with its contents.
  Space space = Space::global;
  std::uint64_t bytes = 0;  ///< The largest of the sweep; what a kernel declares for itself.
  bool operator==(const KernelArray&) const = default;
};

/// Shared memory of a block that patterns reach. Word i starts as a fixed hash of i.
struct KernelMemory {
  std::string name;
  std::uint64_t bytes = 0;  ///< Of the sweep's largest point.
  bool operator==(const KernelMemory&) const = default;
};
inline constexpr const char* kSharedData = "shared_data";      ///< What is read.
inline constexpr const char* kSharedTarget = "shared_target";  ///< What is written.
inline constexpr const char* kCopied = "copied";  ///< The shared side of asynchronous copies.

/// Where `observe each` keeps the latency and the index of every access.
struct EachRecords {
  bool streamed = false;       ///< To global memory after each access; else to shared memory.
  std::uint32_t capacity = 0;  ///< Accesses for which there is shared memory.
  bool operator==(const EachRecords&) const = default;
};

struct Kernel {
  std::string name;              ///< A C identifier that tells the whole structure.
  std::uint32_t threads = 1024;  ///< The largest block that it is launched with.
  std::uint32_t parameters = 0;  ///< How many of `registers`: buffers, then scalars (u64).
  std::vector<Register> registers;
  std::vector<Instruction> setup;
  std::vector<Instruction> timed;
  Observe observe = Observe::latency;
  std::uint32_t exact_registers = 0;      ///< What it is compiled to take a thread; 0: as it comes.
  std::vector<std::string> defines = {};  ///< Of a kernel from a file: "UNROLL 8".
  std::vector<KernelArray> arrays;
  std::vector<KernelMemory> memories;
  std::vector<std::string> stamps;  ///< Labels; each has a value of the records' key `stamp`.
  std::vector<std::string> keeps;   ///< Columns, result slots in this order.
  std::optional<EachRecords> each;  ///< Of an observation of accesses alone.
  /// One block, on the SM that the scalar `sm0` names, is observed; those of `beside`, each on the
  /// SM of `sm1`, `sm2`, ..., run their regions over and over meanwhile. The scalar `blocks_met`
  /// says how many there are; a launch has more blocks, which leave.
  bool placed = false;
  bool clustered = false;      ///< Launched in clusters; the launch says of how many blocks.
  std::vector<Kernel> beside;  ///< Not clocked; parameters as the kernel's own.

  bool clocked() const { return traits_of(observe).clocked; }
  /// It runs the region more than once: as often as its scalar `rehearse` says, and then once.
  bool rehearses() const;
  const KernelArray* find_array(std::string_view array) const;
  /// Result slots: [latency], checksum, sink, where placed `over`, `met` and one claim for each
  /// block, then the kept columns; records follow.
  std::uint32_t result_slots() const;

  /// Names of the scalar parameters, in the order of Launch::scalars.
  std::vector<std::string> scalars() const;
  /// Names of the buffer parameters, in the order of the kernel's arguments after `result`.
  std::vector<std::string> buffers() const;
  bool operator==(const Kernel&) const = default;
};

bool is_load(Op op);
bool is_store(Op op);
bool is_chase(Op op);
bool is_atomic(Op op);
/// A load or store of the shared memory of a block of the cluster, by a generic address.
bool is_on_rank(Op op);
/// The chase follows the links of another block's copy of its array.
bool is_on_rank(const Kernel& kernel, const Instruction& chase);
bool is_cluster_barrier(Op op);
/// An asynchronous copy: of each thread, or of many bytes.
bool is_copy(Op op);
/// Copies that one thread issues, and what announces them and waits for them.
bool is_bulk(Op op);
/// Of them, copies of a box of a tensor.
bool is_tensor(Op op);
/// The timed region has atomics, whose values depend on the order of threads.
bool has_atomics(const Kernel& kernel);
/// Calls `visit` with each instruction of a list and of the regions in it, in the text's order.
template <typename Visit>
void for_each(const std::vector<Instruction>& list, Visit&& visit) {
  for (const Instruction& instruction : list) {
    visit(instruction);
    for (const auto& region : instruction.regions) for_each(region, visit);
  }
}
/// Nothing but accesses, each executed once: no branch, barrier, operation, stamp or chase.
bool only_accesses(const Kernel& kernel);
/// Nothing but operations of lang/operations.def that touch no memory but the kernel's own words.
bool only_operations(const Kernel& kernel);
/// ".cg"; "" where unspecified.
std::string_view cache_suffix(CacheOp cache);

/// Offsets of loads and stores stay below this: what the machine code of every GPU so far can add
/// to an address for nothing (24 bits, signed).
constexpr std::uint64_t kMaxOffset = 1u << 23;

std::string to_string(const Kernel& kernel);

/// Reads kernels as printed. Errors have line and column in `source`.
Result<std::vector<Kernel>> parse_kernels(const Source& source);

/// Checks what every later stage relies on: operand types, definition before use, each register
/// defined once and used only in its region, only timed ops in the timed region and only untimed
/// ones before it, everything that the timed region takes from outside is `ready`, everything
/// loaded is in the `await` that ends it, and the values fit into the registers that a block of
/// `threads` leaves each thread.
Result<void> verify(const Kernel& kernel);

/// Registers of 32 bits that a thread may have in a block of `threads`, on every GPU since 2014.
std::uint32_t register_budget(std::uint32_t threads);
/// Of those, what a generated kernel needs beside the values of its region: thread, two clocks,
/// fold, sink. Measured with NVRTC 13.0 for sm_75, sm_80, sm_90 and sm_100: 6 to 8.
inline constexpr std::uint32_t kFrameRegisters = 9;
/// An upper bound of the registers of 32 bits that the kernel's timed region needs.
std::uint32_t register_need(const Kernel& kernel);

}  // namespace gpx::codegen
