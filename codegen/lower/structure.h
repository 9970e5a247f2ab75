// Structure: what the numbers of a point decide of its kernel's code. Frame: the rest of the code,
// which all kernels of a sweep have in common.
//
// Lowering makes a structure for each point; points with equal structures share a kernel. Pointers
// lead into the experiment, and to what has one place for the whole sweep: equal pointers, equal
// code. Covered by tests/codegen/lower_test.cpp and tests/codegen/body_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codegen/ir/kernel.h"
#include "codegen/lower/patterns.h"

namespace gpx::codegen {

/// A word of 32 bits or a condition, as a thread computes it.
struct ThreadValue {
  enum class Kind {
    constant,  ///< `number`
    argument,  ///< The scalar parameter `name`.
    thread,    ///< `op`: lane, warp, in_block, block or rank.
    shared,    ///< The shared variable `name`.
    computed,  ///< `op` of `args`: an op of the region `both`, or one that gives a predicate.
  };
  Kind kind = Kind::constant;
  std::uint32_t number = 0;
  std::string name = {};
  Op op = Op::add_u32;
  std::vector<ThreadValue> args = {};

  bool operator==(const ThreadValue&) const = default;
  bool reads_shared() const;
  bool is_condition() const { return kind == Kind::computed && info(op).result == 'p'; }
};

/// The parameter of a kernel that says how the tensor of an access lies in memory.
std::string tensor_name(std::size_t access);

struct StatementShape;
using Shapes = std::vector<StatementShape>;

struct AccessShape {
  const Access* access;  ///< With the words of the point (AccessLowering::Form).
  std::size_t number;    ///< Of the accesses of a body, from 0.
  std::uint32_t width = 4, count = 1;
  const ThreadValue* rank = nullptr;    ///< Whose shared memory; nullptr: the block's own.
  std::vector<std::uint32_t> box = {};  ///< Instruction::box
  bool operator==(const AccessShape&) const = default;

  /// Of an asynchronous copy: places in shared memory, and the bytes of one, in blocks of
  /// `threads`. Copies that are waited for one by one share a place.
  std::uint32_t slots() const { return access->chained ? 1 : count; }
  std::uint64_t slot_bytes(std::uint32_t threads) const;
};
/// Shared memory that the asynchronous copies of a body take.
std::uint64_t copied_bytes(const Shapes& body, std::uint32_t threads);

/// Its scalars end with `number`: first0, accesses0, elements0, distance0.
struct ChaseShape {
  const Chase* chase;
  const std::string* buffer;
  std::size_t number;       ///< Of the chases of a measure, from 0.
  std::uint32_t width = 4;  ///< Of a link.
  CacheOp cache = CacheOp::unspecified;
  const ThreadValue* from = nullptr;  ///< Where each thread begins; nullptr: at `first`.
  const ThreadValue* rank = nullptr;  ///< AccessShape::rank
  bool operator==(const ChaseShape&) const = default;
};

struct OperateShape {
  std::string_view operation;
  std::uint32_t count = 1, streams = 1;
  char source = 0;  ///< Instruction::source
  OperandData data = OperandData::usual;
  bool operator==(const OperateShape&) const = default;
};

/// A statement of one op and at most one value: sync, stamp, st_shared, keep.
struct PlainShape {
  Op op;
  std::string_view name = {};
  const ThreadValue* value = nullptr;
  bool operator==(const PlainShape&) const = default;
};

/// when, loop, diverge.
struct BranchShape {
  Op op;
  const ThreadValue* value;           ///< Tested or selected by.
  std::vector<std::uint32_t> values;  ///< diverge
  Shapes then, otherwise;
  bool operator==(const BranchShape&) const;
};

struct StatementShape {
  std::variant<AccessShape, ChaseShape, OperateShape, PlainShape, BranchShape> node;
  Span span;  ///< Of the experiment's text.
  bool operator==(const StatementShape&) const = default;
};

struct Structure {
  std::uint32_t registers = 0;  ///< Exactly; 0: as it comes.
  Shapes body;
  std::vector<Structure> beside;
  bool operator==(const Structure&) const = default;
};

struct SharedWord {
  std::string name;
  ThreadValue initial;
};

/// The memory that a pattern reaches: a buffer of the program, or a KernelMemory.
constexpr const char* memory_of(Space space, bool written) {
  if (space == Space::shared) return written ? kSharedTarget : kSharedData;
  if (space == Space::peer) return written ? "peer_target" : "peer_data";
  return written ? "target" : "data";
}

struct Frame {
  const Source* source = nullptr;
  Observe observe = Observe::latency;
  std::vector<std::string> buffers;  ///< Parameters, of the program: "data", "target", arrays.
  std::vector<std::string> scalars;  ///< Parameters; `never` is the first.
  bool rehearsed = false;            ///< It has the scalar `rehearse`.
  std::vector<KernelArray> arrays;
  std::vector<SharedWord> shared;
  std::vector<std::string> stamps, keeps;
  std::vector<KernelMemory> memories;
  std::size_t accesses = 0;                       ///< AccessShape::number is below.
  std::map<const Access*, AccessSpread> spreads;  ///< By AccessShape::access.
  std::optional<EachRecords> each;
  bool placed = false, clustered = false;
  std::vector<Frame> beside;  ///< One for each Structure::beside.
};

/// "load_unique_4B_cg_x3": equal for equal structures of one sweep, different for different ones.
/// Empty where only the whole text of a kernel tells it from others.
std::string structure_name(const Structure& structure, const Frame& frame);

/// For blocks of up to `threads`.
Kernel build_kernel(const Structure& structure, const Frame& frame, std::uint32_t threads);

}  // namespace gpx::codegen
