// Program: an experiment lowered to kernels and launches, nothing left to decide but the device.
//
// The kernels' calling convention, the same for every generated kernel: first `result` (a pointer),
// then 64 bits for each buffer that is not constant, then the scalars (64 bits each), in the order
// of Launch::scalars. A kernel writes its results into 64-bit slots at `result`, which start as
// ResultSlot::initial. A kernel from a file (Program::user) has no results and takes what its
// launch's `arguments` say. Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.h"
#include "lang/diagnostic.h"
#include "lang/experiment.h"

namespace gpx::codegen {

/// A buffer in global memory. Word i (32 bits) starts as mix(i), a fixed hash, so that every load
/// returns a value that depends on its address and a checksum over loads proves what was read.
struct Buffer {
  /// Where the bytes live, and what a kernel gets for them.
  enum class Place {
    global,      ///< Global memory; a pointer.
    texture,     ///< Global memory, read through a texture object of 32-bit words; its handle.
    constant,    ///< The module's `__constant__ unsigned NAME[]`; no parameter of the kernel.
    peer,        ///< Global memory of the device's peer; a pointer.
    tensor_map,  ///< TensorMap::kBytes in global memory, as the device writes a TensorMap; a
                 ///< pointer.
  };
  std::string name;
  std::uint64_t bytes = 0;
  bool written = false;  ///< Kernels store to it: its contents do not survive a launch.
  Place place = Place::global;
  /// What a launch wants in it instead of the fixed hash: Launch::contents says which.
  bool has_contents = false;
  /// Launch::fills has what it holds before each job.
  bool has_fill = false;
  /// The kernel writes what it reads: as much memory as this is not filled first.
  bool bare = false;
  bool aligned = false;  ///< As an array that is chased: see alignment().
  // Of a pointer of a kernel from a file: whether its type says what the elements are, and of
  // integers whether they are signed.
  bool typed = false, is_signed = true;

  /// Patterns access it: a launch says where it begins (Launch::offset_of).
  bool moves() const {
    return (place == Place::global || place == Place::peer) && !has_contents && !has_fill;
  }

  /// Where a device should let it begin, if there is room. An array that is chased: at a multiple
  /// of its size, rounded up to a power of two; so the bits of its offsets are the addresses',
  /// which select the sets of caches.
  std::uint64_t alignment() const {
    const bool whole = has_contents || aligned || place == Place::tensor_map;
    return whole ? std::bit_ceil(bytes) : 1;
  }
};

/// How a tensor lies in a buffer, and the box that a copy of it takes: what the copy engine is
/// told. The tensor begins with the buffer, without gaps, its first side contiguous.
struct TensorMap {
  static constexpr std::uint64_t kBytes = 128;
  std::uint32_t buffer = 0;            ///< Index into Program::buffers.
  std::uint32_t element = 4;           ///< Bytes: 1, 2, 4 or 8.
  std::vector<std::uint64_t> extents;  ///< Elements, 2 to 5 sides.
  std::vector<std::uint32_t> box;      ///< Likewise.
  bool operator==(const TensorMap&) const = default;

  /// Bytes between neighbours along a side.
  std::uint64_t stride(std::size_t side) const;
};

/// What the elements of a user's buffer are.
enum class Element : std::uint8_t { i8, i16, i32, i64, f16, bf16, f32, f64 };
std::uint32_t bytes_of(Element element);
bool is_real(Element element);

/// BufferContents with its numbers evaluated: what a buffer of a kernel from a file starts as.
struct BufferFill {
  BufferContents::Kind kind = BufferContents::Kind::hash;
  Element element = Element::i32;
  std::uint64_t bytes = 0;  ///< Of the buffer at this point of the sweep.
  double first = 0, second = 0;
  std::vector<std::uint64_t> words = {};  ///< Not empty: these, in place of a kind.
  std::int32_t rest = 0;                  ///< Of `first`: Quantity::rest.
  bool operator==(const BufferFill&) const = default;

  /// Writes the bytes [offset, offset + count); both multiples of 8, but for the end. A number that
  /// its element cannot hold is rounded: to the nearest, ties to even, of floating point; down of
  /// an integer.
  void write(std::uint64_t offset, std::uint64_t count, std::uint8_t* out) const;
};

/// One argument of a kernel from a file: a number, a pointer, or a struct of them by value.
struct Argument {
  struct Part {
    std::int32_t buffer = -1;  ///< Index into Program::buffers; -1: a number.
    std::uint32_t bytes = 8;   ///< At most 8.
    std::uint64_t bits = 0;    ///< Of a number, in the low bytes.
    std::uint32_t offset = 0;  ///< Of its first byte within the argument.
  };
  std::vector<Part> parts;

  std::size_t bytes() const;  ///< Up to the end of the last part.
  /// Writes its bytes, as far as they fit; what lies between parts stays as it is. `address` gives
  /// the one of a buffer.
  void write(std::span<std::uint8_t> out,
             const std::function<std::uint64_t(std::size_t)>& address) const;
};

/// The links of a chase: element k (of `links`) lies at byte offset visit[k] and holds visit[k +
/// 1], the last one visit[0]. Made when a launch needs it, because a sweep has one for each size.
struct ChaseContents {
  Array::Layout::Kind kind = Array::Layout::Kind::stride;
  std::uint64_t bytes = 0;          ///< Of the array at this point; elements lie wholly within.
  std::uint32_t width = 4;          ///< Bytes of a link.
  std::vector<std::uint64_t> args;  ///< As Array::Layout::args, evaluated.
  bool operator==(const ChaseContents&) const = default;
};
/// The visited byte offsets, in order. Never empty.
std::vector<std::uint64_t> visit_order(const ChaseContents& contents);

/// The initial 32-bit word `i` of every buffer.
constexpr std::uint32_t initial_word(std::uint64_t i) {
  std::uint64_t x = i + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>(x ^ (x >> 31));
}

/// One 64-bit result of a launch.
struct ResultSlot {
  enum class Role {
    sample,    ///< A column of the samples.
    checksum,  ///< Of the values read: the same in every repetition and on every device.
    scratch,   ///< Target of a store that is there to be waited for. It happens where a sum of
               ///< loaded values equals the kernel's `never`: once in 2^32 threads.
  };
  std::string name;           ///< "latency", "checksum", "sink", or of a `keep`.
  std::uint64_t initial = 0;  ///< Of a `keep` kNotKept: a sample that still is that is null.
  Role role = Role::scratch;
};

/// Where the blocks of a placed launch meet: the result slot of this name counts them, and ends as
/// Launch::placed. Otherwise not all of them came to their SMs, and nothing was observed.
constexpr std::string_view kMet = "met";

/// The value of a result or a record that no thread wrote.
constexpr std::uint64_t kNotKept = ~std::uint64_t{0};

/// Rows that a launch writes behind its result slots: value c of row r is the 64-bit word
/// results.size() + r * columns.size() + c at `result`; it starts as kNotKept, and a row whose
/// first word still is that is left out of the samples. A row's number tells its keys: the last key
/// runs fastest, and Launch::record_extents has the number of values of each.
struct Records {
  struct Key {
    std::string name;                 ///< "block", "thread", "stamp", "access"
    std::vector<std::string> labels;  ///< Of the values 0, 1, ... where they have names.
  };
  std::vector<Key> keys;
  std::vector<std::string> columns;  ///< "clock", "sm"; "latency", "index"
};

/// One point of the sweep, ready to launch.
struct Launch {
  std::uint32_t kernel = 0;  ///< Index into Program::kernels.
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;
  std::uint32_t cluster = 0;  ///< Blocks of a cluster; 0: it is launched without.
  std::vector<std::uint64_t> scalars;
  std::uint32_t warmup = 0;  ///< Untimed launches before the first repetition.
  bool flush = false;
  std::uint64_t flush_bytes = 0;              ///< 0: the device decides.
  std::uint64_t offset = 0;                   ///< Bytes that a buffer moves(): see offset_of().
  std::vector<std::uint64_t> record_extents;  ///< One for each Records::keys.
  std::vector<ChaseContents> contents;        ///< Of the buffers that have them, in their order.
  std::vector<TensorMap> tensors;             ///< Of the buffers that are maps, likewise.
  double watchdog = 0;  ///< Seconds after which the launch is a deadlock; 0: none.
  /// Seconds for which launches in a row are metered: Repetition::metered; 0: they are not.
  double metered = 0;
  std::uint32_t bank_width = 0;  ///< Bytes of a bank of shared memory; 0: as the device has it.
  std::optional<std::uint64_t> carveout =
      std::nullopt;          ///< Bytes that shared memory prefers to be.
  std::uint32_t placed = 0;  ///< Blocks that are told their SM; 0: all blocks run where they come.
  /// Only the launch's time counts: a virtual GPU may run a sample of a grid's blocks.
  bool sampled = false;
  /// Of a sampled grid, how much the instructions of its blocks differ: their standard deviation
  /// over their mean; infinite where that is not known.
  double deviation = std::numeric_limits<double>::infinity();
  double largest = 1;  ///< Likewise, the most instructions of a block over their mean.
  /// All blocks of a sampled grid are run where the job has no more instructions of warps than
  /// that, a tenth of a second of one core; and 40 times as many where a sample would be refused.
  double whole_below = 5e5;
  /// More instructions of warps in one launch are an error of a virtual GPU; 0: the device decides.
  std::uint64_t most_instructions = 0;
  // Of a kernel from a file alone.
  std::uint32_t blocks_down = 1, threads_down = 1;  ///< The second extents.
  std::uint32_t blocks_deep = 1, threads_deep = 1;  ///< The third ones.
  std::uint64_t shared_bytes = 0;                   ///< Dynamic shared memory of a block.
  std::vector<Argument> arguments;                  ///< In the order of its parameters.
  std::vector<BufferFill> fills;                    ///< One for each Program::buffers.

  /// What a device adds to a buffer's address for the kernel; bytes.
  std::uint64_t offset_of(const Buffer& buffer) const { return buffer.moves() ? offset : 0; }
  std::uint64_t all_blocks() const { return std::uint64_t{blocks} * blocks_down * blocks_deep; }
  std::uint64_t all_threads() const { return std::uint64_t{threads} * threads_down * threads_deep; }
  std::uint64_t record_rows() const;  ///< Product of the extents; 0 where there are no records.
};

struct Program {
  std::vector<Kernel> kernels;  ///< As few as the sweep allows.
  std::vector<Buffer> buffers;
  std::vector<ResultSlot> results;
  Records records;
  std::vector<Launch> launches;   ///< One for each point of the sweep, in its order.
  std::uint32_t repetitions = 1;  ///< Of a point; with `until_percent` the most.
  double until_percent = 0;       ///< Experiment::until_percent.
  /// A launch that fails or does not end is a result (backend.h: Outcome), not an error.
  bool outcomes = false;
  /// Its kernels may never end: a real GPU runs them in a process of its own.
  bool may_hang = false;
  bool user = false;  ///< Of kernels from a file.

  /// Whether a buffer lies there.
  bool uses(Buffer::Place place) const {
    for (const Buffer& buffer : buffers)
      if (buffer.place == place) return true;
    return false;
  }
};

/// What lowering must know of a device: what any driver reports.
struct Limits {
  std::uint32_t threads_per_block = 1024;
  std::uint64_t blocks = 2147483647;
  std::uint64_t memory_bytes = 0;             ///< 0: not known.
  std::uint64_t shared_per_block = 48 << 10;  ///< Bytes that a kernel may declare.
  std::uint64_t shared_split = 0;             ///< The most that a carveout gives; 0: there is none.
  std::vector<std::uint32_t> bank_widths = {4};  ///< That shared memory can be set to.
  std::uint32_t sm_count = 0;                    ///< 0: not known.
  std::uint32_t instruction_bytes = 16;
  std::uint32_t warp_size = 32;
  std::uint32_t blocks_per_cluster = 0;  ///< The most; 0: there are no clusters.
  bool energy = false;                   ///< It has a counter of the energy that it takes.
  std::uint64_t peer_bytes = 0;          ///< Memory of its peer; 0: there is no peer.
  bool peer_atomics = false;             ///< Atomics on the peer's memory are the hardware's.
};

/// One measure of an experiment. Errors point at the experiment's text: too many threads for the
/// device, more memory than it has, a width that the space cannot load.
Result<Program> lower(const Experiment& experiment, const Measure& measure, const Source& source,
                      const Limits& limits);

}  // namespace gpx::codegen
