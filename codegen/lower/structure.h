// Structure: what decides a kernel's code, apart from the numbers that it gets as arguments.
//
// Lowering finds the structures that a sweep needs and asks for one kernel for each.
// Covered by tests/codegen/lower_test.cpp and tests/codegen/body_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/ir/kernel.h"
#include "codegen/lower/patterns.h"

namespace gpx::codegen {

/// One timed access statement of a kernel.
struct AccessShape {
  Access::Kind kind = Access::Kind::load;
  const PatternCode* pattern = nullptr;
  CacheOp cache = CacheOp::unspecified;
  std::uint32_t width = 4;  ///< Bytes.
  std::uint32_t count = 1;
  std::uint64_t span = 0;               ///< PatternCode::layered: bytes between two accesses.
  std::optional<std::uint64_t> folded;  ///< PatternCode::folds: the only value of the sweep.
  std::uint32_t line = 0;
};

/// A word of 32 bits or a condition, as a thread computes it.
struct ValueShape {
  enum class Kind {
    constant,  ///< `number`
    argument,  ///< The scalar parameter `name`.
    thread,    ///< `op`: lane, warp, in_block or block.
    shared,    ///< The shared variable `name`.
    computed,  ///< `op` of `args`: an op of the region `both`, or one that gives a predicate.
  };
  Kind kind = Kind::constant;
  std::uint32_t number = 0;
  std::string name;
  Op op = Op::add_u32;
  std::vector<ValueShape> args;

  bool reads_shared() const;
  bool is_condition() const { return kind == Kind::computed && info(op).result == 'p'; }
};

/// One statement. Which members mean something is told by `op`.
struct StatementShape {
  Op op = Op::ready;  ///< ready: an access; else the op of the statement.
  AccessShape access;
  std::string name;  ///< Of the shared word, stamp, column, array, operation.
  CacheOp cache = CacheOp::unspecified;
  std::uint32_t count = 1, streams = 1;  ///< operate
  std::string first, accesses;           ///< chase: its scalars.
  /// chase: where each thread begins, the scalars `elements` and `distance` beside it.
  std::optional<ValueShape> from;
  std::string elements, distance;
  ValueShape value;                   ///< Stored, kept, tested or selected by.
  std::vector<std::uint32_t> values;  ///< diverge
  std::vector<StatementShape> then, otherwise;
  std::uint32_t line = 0;
};

struct SharedShape {
  std::string name;
  ValueShape initial;
};

struct Structure {
  std::vector<StatementShape> body;
  std::vector<SharedShape> shared;
  std::vector<std::string> buffers;  ///< Parameters, of the program: "data", "target", arrays.
  std::vector<std::string> scalars;  ///< After `never`.
  std::vector<KernelArray> arrays;
  std::vector<std::string> stamps, keeps;
  std::optional<EachRecords> each;
  Observe observe = Observe::latency;
  std::uint32_t threads = 1024;
  std::uint32_t registers = 0;  ///< Exactly; 0: as it comes.
  bool placed = false;
  std::vector<Structure> beside;
};

/// "load_unique_4B_cg_x3": equal for equal structures of one sweep, different for different ones.
/// Empty where only the whole text of a kernel tells it from others.
std::string structure_name(const Structure& structure);

Kernel build_kernel(const Structure& structure);

}  // namespace gpx::codegen
