// Experiment IR: one checked experiment, all names resolved, all axes expanded.
//
// This is what `lang` hands to everything after it. It prints as text and parses back
// (`--dump=experiment`), says nothing about CUDA, and is immutable once checked.
// Covered by tests/lang/check_test.cpp and the goldens in tests/lang/golden/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/expr.h"

namespace gpx {

/// `cite lashgar2015 LA8 LA9`
struct Cite {
  std::string work;              ///< "lashgar2015"
  std::vector<std::string> ids;  ///< "LA8", "LA9"
};

/// One swept variable with every value that it takes, in order.
struct Axis {
  std::string name;
  std::vector<Value> values;  ///< All of one kind and one unit.
  Unit unit = Unit::none;     ///< Unit::none also for words.
  Span span;
  bool all_sms = false;  ///< `place sm all`: SM 0 alone, until take_all_sms().
};

/// `sweep n 1..3, threads 2..1024 step 2`: groups nest, the first outermost; the axes of one group
/// are zipped (`zip(merge in [2, 4], n in [1, 2])`) and have equally many values.
struct Sweep {
  std::vector<std::vector<Axis>> groups;

  std::uint64_t points() const;                      ///< 1 where nothing is swept.
  std::vector<const Axis*> axes() const;             ///< In the order of the text.
  std::vector<Value> at(std::uint64_t point) const;  ///< A value for each axis, in that order.
};

enum class Space { global, shared, constant, texture, local, peer };
/// The instructions and cache operators of global memory access it: a GPU's own, or that of its
/// peer, another GPU of the host.
constexpr bool is_global_memory(Space space) {
  return space == Space::global || space == Space::peer;
}
enum class CacheOp { unspecified, ca, cg, cs, cv, lu, nc };

/// Where each access of a thread lies: a row of lang/patterns.h.
struct Pattern {
  std::string name = "unique";
  std::vector<Expr> args;  ///< All that the row has.
};

/// One timed access statement, executed `count` times by each thread as independent instructions.
struct Access {
  enum class Kind {
    load,    ///< read `width` bytes
    store,   ///< write `width` bytes
    copy,    ///< read from the array, then write what was read to the same place of a second array
    atomic,  ///< `operation` of lang/atomics.h on a place of the second array
  };
  /// The axes whose values stand for words of the access; "": the word is written.
  struct Words {
    std::string kind, space, cache, pattern;
    bool any() const { return !(kind + space + cache + pattern).empty(); }
  };
  Kind kind = Kind::load;
  Space space = Space::global;
  CacheOp cache = CacheOp::unspecified;
  Pattern pattern;                           ///< Where it is an axis: the arguments as written.
  Expr width = Expr::number(4, Unit::byte);  ///< 1, 2, 4, 8 or 16 bytes.
  Expr count = Expr::number(1);
  std::string operation = {};  ///< "atom.add.u32"
  /// Of atomics: each takes the old value of the one before it. Of asynchronous copies: each is
  /// waited for before the next begins.
  bool chained = false;
  /// `on rank R`: in the shared memory of that block of the cluster, modulo how many there are.
  std::optional<Expr> rank = std::nullopt;
  bool async =
      false;  ///< A copy between global and shared memory that nobody waits for but `wait`.
  Words by = {};
  /// A copy that one thread of the block issues, instead of one by each thread.
  bool is_bulk() const { return async && (pattern.name == "bulk" || is_tensor()); }
  bool is_tensor() const { return async && pattern.name == "tensor"; }
  Span span = {};
};

/// The access with its words at one point; the words must be checked.
Access resolved(const Access& access, const Scope& scope);
/// Sets the kind, and of an atomic the operation and the width.
bool set_kind(Access& access, const std::string& word);

/// A memory that an experiment lays out before anything is timed:
///   array a : global[size] chase(stride 128B)
/// An array of a chase holds, in the word at each visited place, where to go next: the byte offset
/// of the next element from the array's start (64 bits where `width` is 8B, else 32).
struct Array {
  struct Layout {
    enum class Kind {
      none,    ///< Word i is the fixed hash of i that every buffer starts as.
      stride,  ///< chase(stride S): element k lies at k * S; the last one leads back to the first.
      random,  ///< chase(random S, seed): the elements of `stride`, visited in one random cycle.
      list,    ///< chase(list [o1, o2, ...]): these byte offsets, in this order, then again.
      steps,   ///< chase(steps [n1 of S1, n2 of S2]): n1 steps of S1, then n2 of S2 (Mei 3.2), ...
    };
    Kind kind = Kind::none;
    std::vector<Expr> args;  ///< stride: S. random: S, seed. list: offsets. steps: n1, S1, n2, S2.
  };
  std::string name;
  Space space = Space::global;
  Expr bytes;
  Expr width = Expr::number(4, Unit::byte);  ///< Of a link of the chase: 4 or 8 bytes.
  Layout layout;
  Span span;
};

/// What a buffer of a kernel from a file holds before each point, by element; the type of the
/// pointer that the kernel takes says what an element is.
struct BufferContents {
  enum class Kind {
    hash,     ///< Each 32-bit word its fixed hash, as every buffer of a generated kernel.
    zero,     ///< Zeros.
    index,    ///< Element i is i * args[0]; args[0] is 1 unless given.
    uniform,  ///< uniform(A, B): pseudo-random from A (included) to B (not; 0, 1), fixed by i.
    value,    ///< Every element is args[0].
    /// permutation(SEED): element i is the index of the next one on one cycle through all of them.
    permutation,
    file,  ///< "data.npy", or raw bytes.
  };
  Kind kind = Kind::hash;
  std::vector<Expr> args;
  std::string file = {};  ///< Relative to the experiment's file.
  bool given = false;     ///< The text names the contents, also where they are `hash`.
};

/// `n = 2000`, `a = buffer(4MB, hash)`, `v = (1, 2, 3, 4)`,
/// `p = struct(buffer(4MB, hash), i32(2000), float2(1, 2), struct(f32(0.5)))`
struct KernelArgument {
  enum class Form { scalar, buffer, vector, structure };
  std::string parameter;  ///< Of a field its type: "i32", "float2"; of a buffer or a struct "".
  /// A plain number, a truth value, or a word ("inf", "nan", "null", an enumerator, a character);
  /// of a buffer its size in bytes.
  Expr value;
  std::optional<BufferContents> buffer;  ///< Of a buffer.
  Span span;
  std::vector<KernelArgument> fields = {};  ///< Members of a struct, components of a vector.
  Form form = Form::scalar;
};
/// Each buffer that an argument gives: itself, or those of its fields.
std::vector<const KernelArgument*> buffers_of(const KernelArgument& argument);

/// A macro of a kernel's file: `define TILE = 16`. A number, a truth value or a word.
struct KernelDefine {
  std::string name;
  Expr value;
};

/// A CUDA kernel of the user:
///   kernel mul from "mul.cu" define TILE = 16 entry matmul(n = 2000, a = buffer(4MB, hash))
struct UserKernel {
  std::string name;
  std::string file;   ///< Relative to the experiment's file, else to stdlib/kernels.
  std::string entry;  ///< A `__global__` function of the file.
  std::vector<KernelArgument> arguments;
  Span file_span, entry_span, span;
  std::vector<KernelDefine> defines = {};
};

/// `load a x 256 chain`: each thread follows the links of an array, every load waiting for the one
/// before it. Where `observe each` asks for it, each load's latency and index are kept.
struct Chase {
  std::string array;
  CacheOp cache = CacheOp::unspecified;
  Expr count = Expr::number(1);
  /// Whose values are the cache operators; absent: `cache` is.
  std::optional<Expr> cache_axis = std::nullopt;
  /// `from N`: the element where a thread begins, by thread, modulo their number; absent: the
  /// first.
  std::optional<Expr> from = std::nullopt;
  std::optional<Expr> rank = std::nullopt;  ///< Access::rank
};

/// `code 8KB`: straight machine code of that size, instructions that wait for none before them. The
/// device says how long an instruction is.
struct Code {
  Expr bytes;
};

/// `add.u32 x 256 chain`, `op x 256 streams 4`, `fma.rn.f32 x 256 chain c`: an operation of
/// lang/operations.def. `ptx "fma.rn.f32 %d, %a, %b, %c" x 256 chain c`: one that the text spells.
struct Operate {
  Expr operation;  ///< A word, or the name of an axis or a parameter whose value is one.
  Expr count = Expr::number(1);  ///< Executed by each thread, over all its streams.
  /// Independent dependence chains that a thread interleaves; `chain` is 1. `count` is a multiple.
  Expr streams = Expr::number(4);
  /// The source that the chain runs through: a word, "a" to "d" in the order of the PTX, or the
  /// name of an axis or a parameter whose value is one. Absent: the one that the table chose.
  std::optional<Expr> source = std::nullopt;
  bool is_ptx = false;  ///< `operation` is a word: PTX with named operands.
  /// `data zeros`: a word (OperandData), or the name of an axis or a parameter whose value is one.
  std::optional<Expr> data = std::nullopt;
};

/// `sync`: a barrier of the whole block (it may stand in divergent code: that is an experiment);
/// `sync cluster`: of all blocks of the cluster.
struct Sync {
  bool cluster = false;
};

/// `wait`: until the asynchronous copies before it are done.
struct Wait {};

/// `stamp`, `stamp taken`: each thread that comes here notes the clock (and its SM). A label is
/// written once in a body; a stamp without one is labelled by its number, from 0.
struct Stamp {
  std::string label;
};

/// `count = count + 1`: sets a shared variable of the measure (every active thread stores).
struct Assign {
  std::string variable;
  Expr value;
};

/// `keep seen = value`: a column of the samples; where several threads keep, the last store counts;
/// null where no thread does.
struct Keep {
  std::string column;
  Expr value;
};

/// `run mul`: a kernel from a file. It is the whole body of its measure.
struct Run {
  std::string kernel;
};

struct Statement;

/// `when warp == 0 { ... } else { ... }`: by thread.
struct When {
  Expr condition;
  std::vector<Statement> then;
  std::vector<Statement> otherwise;
};

/// `while count == 0 { ... }`
struct While {
  Expr condition;
  std::vector<Statement> body;
};

/// `diverge lane over 31..0 { ... }`: an if / else-if chain, `if (lane == 31) { body } else if
/// (lane == 30) ...`, whose bodies are equal (Wong 2010, Listing 3).
struct Diverge {
  Expr selector;             ///< Of the thread: lane, thread, warp, ...
  std::vector<Expr> values;  ///< In the order of the tests.
  std::vector<Statement> body;
};

/// What may stand between < and >. Conditions and assigned values are expressions over parameters,
/// axes, the thread's own `thread` (in its block), `lane`, `warp`, `block`, and shared variables;
/// whole numbers of 32 bits.
struct Statement {
  std::variant<Access, Chase, Operate, Code, Sync, Wait, Stamp, Assign, Keep, Run, When, While,
               Diverge>
      node;
  Span span;
};

/// A row of lang/observe.def; what it means is told by lang/observe.h.
enum class Observe {
#define GPX_OBSERVE(name, ...) name,
#include "lang/observe.def"
#undef GPX_OBSERVE
};

/// `shared count = 0`: a 32-bit word of shared memory, set before the region begins.
struct SharedVariable {
  std::string name;
  Expr initial;
  Span span;
};

enum class Reduce { harmonic_mean, mean, median, min, max };

/// `flush 76MB if state == flushed`: before each repetition, that much is written through L2.
struct Flush {
  Expr bytes;                     ///< 0B: the device decides (twice its L2).
  std::optional<Expr> condition;  ///< Absent: always.
};

/// An argument of `analyze f(x = threads, level = "l1")`: the name of an axis, or a value.
struct AnalyzeArg {
  std::string name;
  bool is_axis = false;
  Value value;  ///< The axis's name where is_axis.
};

struct Analyze {
  std::string method;    ///< A module of stdlib/analysis, or the path of a user's script.
  bool is_file = false;  ///< `analyze "my.lua"`: relative to the experiment's file.
  std::vector<AnalyzeArg> args;
  Span span;
};

/// `plot latency, time over threads by n`
struct Plot {
  std::vector<std::string> y;
  std::string x;
  std::vector<std::string> by;
  bool log_x = false;
  bool log_y = false;
  Span span;
};

/// `derive bandwidth = bytes / time`: a column of the samples, computed row by row.
struct Derived {
  std::string name;
  Unit unit = Unit::none;
  std::string text;  ///< The expression as formatted.
};

/// `max(latency[n=2])`: one number of all points that have the keys, each the number that its
/// repetitions are reduced to. `expect` and `claim` name it as they name findings.
struct SampleValue {
  enum class How { min, max, mean, median };
  std::string name;  ///< "max(latency[n=2])"
  How how = How::max;
  std::string column;
  std::vector<std::pair<std::string, Value>> keys;  ///< Axes, `measure` or keys of records.
};

/// `expect outstanding.entries within 42..45`: a claim about the device that the experiment names.
struct Expect {
  Expr condition;
  std::string text;  ///< As formatted.
};

/// A buffer of a kernel from a file.
struct ResultOf {
  std::string kernel, parameter;
};
/// `expect buffer(out) == "reference.npy" within 1e-5`: what the buffer holds after one launch of
/// all blocks on the contents that the experiment gives, at every point.
struct ResultExpect {
  enum class With { file, buffer, checksum, value };
  ResultOf result;
  With with = With::file;
  std::string file = {};  ///< Relative to the experiment's file.
  ResultOf other = {};
  Quantity value = {};         ///< Of every element.
  std::uint64_t checksum = 0;  ///< XXH3 of 64 bits, of the buffer's bytes.
  double within = 0;           ///< |a - b| is at most this plus this times |b|; 0: they are equal.
  std::string text = {};
};

/// `paper outstanding.saturation[n=2] = 680 LA8`: what the source reported. Shown beside the
/// finding, never seen by an analysis.
struct PaperValue {
  std::string finding;  ///< Canonical name.
  Value value;
  std::optional<Quantity> high;  ///< Upper end where the paper gives a range: 44..45.
  std::string cite;              ///< "LA8"
};

/// `claim "nearly 32X Fermi" outstanding.max_requests / 128 within 28..36 LA9`: a sentence of a
/// source, reported as supported or not by the findings. It never fails a run.
struct Claim {
  std::string sentence;
  Expr condition;
  std::string text;  ///< The condition as formatted.
  std::string cite;
};

/// `beside sm 1 { load b x 64 chain }`: one more block, on that SM, which runs the body over and
/// over while the region is run, and is neither timed nor observed.
struct Companion {
  Expr sm;
  std::optional<Expr> condition;  ///< Absent: at every point.
  std::vector<Statement> body;    ///< Chases, operations, code.
  Span span;
};

/// What is launched and timed at each point. An experiment without `measure` blocks has one, whose
/// name is empty. Clauses of the experiment stand for every measure that does not say otherwise.
struct Measure {
  std::string name;                ///< `measure latency { ... }`: a value of the column `measure`.
  Expr threads = Expr::number(1);  ///< A block.
  Expr blocks = Expr::number(1);
  /// `threads (16, 8, 4)`, `blocks (X, Y, Z)`: the second and third extents; only of a body that
  /// runs a kernel from a file, whose `threads` and `blocks` above are then the first.
  std::optional<Expr> threads_down, blocks_down, threads_deep, blocks_deep;
  std::optional<Expr> cluster;       ///< Blocks of a cluster; absent: there are no clusters.
  std::optional<Expr> shared_bytes;  ///< Dynamic shared memory of such a kernel's block.
  Expr warmup = Expr::number(1);     ///< Launches before the first repetition of each point.
  std::optional<Flush> flush;
  /// `offset at * 64KB`: bytes that the patterns of global and of a peer's memory begin behind the
  /// start of it. Arrays and other spaces stay where they are.
  Expr offset = Expr::number(0, Unit::byte);
  /// `rehearse 1`: times that a thread runs the region before the pass that counts, in the same
  /// launch, so that the instruction caches are warm. The checker's default: 1 for a body of
  /// nothing but operations, else 0.
  Expr rehearse = Expr::number(0);
  /// `registers 88`: exactly so many registers of 32 bits a thread.
  std::optional<Expr> registers;
  /// `watchdog 10ms`: a launch that has not ended by then is a deadlock. With it, or with
  /// `registers`, the samples have a column `outcome`: "completed", "deadlock", "launch_failure".
  std::optional<Expr> watchdog;
  /// `bank_width 8B`: what lies in one bank of shared memory before the next bank begins.
  std::optional<Expr> bank_width;
  /// `carveout 16KB`: how much of the memory that L1 and shared memory have together the latter
  /// gets: bytes, or percent of the most that it can have.
  std::optional<Expr> carveout;
  /// `place sm 0`: the SM that runs the one block which is timed; set wherever there are
  /// companions.
  std::optional<Expr> place;
  std::vector<Companion> companions;
  std::vector<SharedVariable> shared;
  Observe observe = Observe::latency;
  /// The column `bytes`, where something of the experiment names it: what the region's accesses
  /// move in one launch. Absent where that cannot be told.
  std::optional<Expr> bytes;
  /// A value for each of Experiment::derived, over columns, axes and parameters.
  std::vector<Expr> derived;
  std::vector<Statement> body;  ///< What is timed. Empty only where observe is latency.
  Span body_span;
  Span span;

  bool has_outcomes() const { return watchdog || registers; }
  /// The kernel from a file that it runs; nullptr: it runs generated code.
  const Run* run() const;
};

struct Experiment {
  std::string name;  ///< "line1" and so on for one-liners.
  std::string title;
  std::string device;  ///< Empty where none is named.
  std::vector<Cite> cites;
  std::map<std::string, Value> parameters;
  Sweep sweep;
  std::vector<Array> arrays;
  std::vector<UserKernel> kernels;
  /// Repetitions of each point; with `until_percent` the most.
  std::uint32_t repeat = 1;
  /// `repeat until 1%`: until the 95 % interval of each measured value lies within so much of it;
  /// 0: exactly `repeat` repetitions.
  double until_percent = 0;
  Reduce reduce = Reduce::median;
  std::vector<Measure> measures = std::vector<Measure>(1);  ///< Never empty.
  std::vector<Derived> derived;
  std::vector<SampleValue> sample_values;
  std::vector<Analyze> analyses;
  std::vector<Plot> plots;
  std::vector<Expect> expects;
  std::vector<ResultExpect> result_expects;
  std::vector<PaperValue> papers;
  std::vector<Claim> claims;
  Span span;
  std::vector<Diagnostic> warnings;  ///< What is likely a slip. No part of its text.

  /// A scope with parameters and the axes' values at `point` (from sweep.at()).
  /// Both must outlive the scope. (The checker has put `threads` and `blocks` where they were
  /// named.)
  Scope scope(const std::vector<Value>& point) const;
};

/// A finding's name in canonical form: base, then the keys as given; one without a name is a
/// number. canonical("outstanding.saturation", {{"n", 2}}) is "outstanding.saturation[n=2]".
std::string canonical_finding(std::string_view base,
                              const std::vector<std::pair<std::string, Value>>& keys);

/// Gives the axis of `place sm all`, if there is one, a value for each SM of a device.
void take_all_sms(Experiment& experiment, std::uint32_t sms);

std::string to_string(const Experiment& experiment);
/// "cache(cache = \"cg\", level = \"l2\")"
std::string to_string(const Analyze& analyze);

}  // namespace gpx
