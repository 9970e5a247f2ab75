// The table of words, and the spellings of the enumerations. Interface: vocabulary.h; covered by
// tests/lang/vocabulary_test.cpp.
#include "lang/vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <unordered_map>

#include "lang/atomics.h"
#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/operations.h"
#include "lang/patterns.h"

namespace gpx {
namespace {

/// A line of the table below is made of the table of observations.
constexpr const char* kObserveSyntax = nullptr;
using K = TermKind;

/// The language's own words; the patterns and the operations come from their tables.
constexpr Term kOwnWords[] = {
    {K::item, "experiment", "experiment NAME \"title\" { ... }",
     "one experiment: what varies, what is timed, what is concluded"},
    {K::statement, "param", "param NAME = EXPRESSION",
     "a named value; --set NAME=VALUE replaces it"},
    {K::statement, "cite", "cite WORK ID...",
     "the paper and the catalogue rows that the experiment reproduces"},
    {K::statement, "device", "device NAME",
     "the device that the claims are about, and the virtual one to run on"},
    {K::statement, "sweep", "sweep NAME A..B [step S | step xK], NAME in [A, B], zip(...)",
     "what varies: ranges, geometric ranges and lists nest; zip pairs them"},
    {K::statement, "threads", "threads EXPRESSION", "threads a block; 1 unless given or swept"},
    {K::statement, "blocks", "blocks EXPRESSION", "blocks of the grid; 1 unless given or swept"},
    {K::statement, "cluster", "cluster EXPRESSION",
     "blocks of a cluster, 1 to 16, which share their shared memories; none unless given or swept"},
    {K::statement, "repeat",
     "repeat N|until P% [at most N] [reduce harmonic_mean|mean|median|min|max]",
     "repetitions of each point against noise, or the precision to reach, and how they are "
     "reduced"},
    {K::statement, "warmup", "warmup N",
     "untimed launches before the first repetition of each point; 1 unless given"},
    {K::statement, "flush", "flush [BYTES] [if CONDITION]",
     "writes that many bytes through L2 before each repetition"},
    {K::statement, "offset", "offset BYTES",
     "shifts the patterns of global memory by that many bytes; 0B unless given"},
    {K::statement, "observe", kObserveSyntax,
     "what is observed: clocks of a block, seconds of the grid, each access, a timeline"},
    {K::statement, "rehearse", "rehearse N",
     "times that a thread runs the region before the pass that counts, to warm the caches of "
     "code and of data"},
    {K::statement, "registers", "registers N",
     "exactly that many 32-bit registers a thread; a kernel from a file is compiled for at most "
     "N"},
    {K::statement, "watchdog", "watchdog TIME", "a launch that runs longer is a deadlock"},
    {K::statement, "bank_width", "bank_width 4B|8B",
     "bytes that lie in one bank of shared memory before the next bank begins"},
    {K::statement, "carveout", "carveout BYTES|PERCENT",
     "the share of shared memory in the memory that it divides with L1"},
    {K::statement, "l1_cache", "l1_cache on|off",
     "the cache operator ca or cg of all global loads that name none"},
    {K::statement, "place", "place sm N|all",
     "the SM that runs the block that is timed; all: each in turn, an axis sm"},
    {K::statement, "beside", "beside sm N [if CONDITION] { ... }",
     "a co-runner: a block on that SM repeats its body meanwhile"},
    {K::statement, "shared", "shared NAME = EXPRESSION",
     "a word of shared memory that a block's threads read and set"},
    {K::statement, "array", "array NAME : SPACE[BYTES] [chase(...)] [width BYTES]",
     "a memory that is laid out before anything is timed"},
    {K::statement, "shared_bytes", "shared_bytes BYTES",
     "dynamic shared memory of a block of a kernel from a file"},
    {K::statement, "kernel",
     "kernel NAME from \"FILE.cu\" [define MACRO = VALUE, ...] entry FUNCTION(PARAMETER = VALUE, "
     "...)",
     "a CUDA kernel from a file, with its arguments"},
    {K::statement, "measure", "measure NAME { clauses < region > }",
     "one of several regions that an experiment times"},
    {K::statement, "derive", "derive NAME = EXPRESSION",
     "a column of the samples, computed from others, axes and parameters"},
    {K::statement, "analyze", "analyze METHOD(name = value, ...) or analyze \"script.lua\"(...)",
     "the analysis that turns samples into findings"},
    {K::statement, "plot", "plot Y, ... over X [by A, ...] [logx] [logy]",
     "a plot of what was observed"},
    {K::statement, "expect",
     "expect CONDITION: max(COLUMN) < 400clocks, FINDING within 90/clk..128/clk, FINDING is "
     "VERDICT",
     "a claim about the device that the experiment names; max, min, mean or median of a column; "
     "each number has its unit (help unit): 64B/clk, 2/clk, 100GB/s, 1.5e9/s, 20ns"},
    {K::statement, "paper", "paper FINDING = VALUE|A..B ID",
     "what the paper reports, shown with the finding"},
    {K::statement, "claim", "claim \"sentence\" CONDITION ID",
     "a sentence of the paper, reported as supported or not"},
    {K::access, "load", "load [SPACE] PATTERN [width BYTES] [cache OP] [x COUNT]",
     "each thread reads COUNT times, independently; load ARRAY x COUNT chain follows its links"},
    {K::access, "store", "store [SPACE] PATTERN [width BYTES] [cache OP] [x COUNT]",
     "each thread writes COUNT times"},
    {K::access, "copy", "copy [SPACE] PATTERN [width BYTES] [cache OP] [x COUNT]",
     "each thread reads, then writes what it read to a second array"},
    {K::control, "async", "async load PATTERN width 16B [x COUNT]; wait",
     "a copy from global to shared memory that is waited for by 'wait', or one by one with "
     "'chain'"},
    {K::control, "wait", "async load bulk(4KB) x2; wait",
     "until the asynchronous copies before it are done"},
    {K::control, "sync", "sync, sync cluster", "a barrier of the block, or of the whole cluster"},
    {K::control, "code", "code 8KB",
     "straight machine code of that size, whose instructions are independent"},
    {K::control, "ptx", "ptx \"fma.rn.f32 %d, %a, %b, %c\" x256 chain c",
     "PTX of one or several instructions with named operands, as a chain or in streams"},
    {K::control, "stamp", "stamp [LABEL]",
     "records the clock and the SM of each thread that passes"},
    {K::control, "keep", "keep NAME = EXPRESSION", "a column of the samples"},
    {K::control, "run", "run NAME", "a kernel from a file; it is all of the region"},
    {K::control, "when", "when CONDITION { ... } [else { ... }]",
     "the threads for which the condition holds"},
    {K::control, "while", "while CONDITION { ... }", "a loop while the condition holds"},
    {K::control, "diverge", "diverge SELECTOR over A..B { ... }, over [A, B] { ... }",
     "an if / else-if chain over the values, in their order, with equal bodies"},
    {K::option, "width", "width BYTES", "bytes of one access: 1, 2, 4 (unless given), 8 or 16"},
    {K::option, "cache", "cache ca|cg|cs|cv|lu|nc", "the cache operator of the instruction"},
    {K::option, "x", "x3, x n, x (2 * n)", "how many times each thread does the access"},
    {K::option, "chain", "add.u32 x256 chain, fma.rn.f32 x256 chain c, load a x256 chain",
     "each waits for the one before it; of an operation also through which source, a to d"},
    {K::option, "streams", "add.u32 x256 streams 4",
     "independent chains that a thread interleaves; 4 unless given"},
    {K::option, "data", "mma.m16n8k16.f32.f16 x16 chain data zeros, data random",
     "what the operands of a matrix product hold"},
    {K::option, "from", "load a from warp x256 chain",
     "the element where a thread begins, modulo their number; the first unless given. In a kernel "
     "clause, its file"},
    {K::option, "on", "load shared PATTERN on rank (rank + 1) x16",
     "in the shared memory of that block of the cluster, modulo the cluster's size"},
    {K::option, "each", "load a each x N", "observes each access of a chain: observe each"},
    {K::option, "chase", "array a : global[BYTES] chase(stride|random|list|steps ...)",
     "links the words of the array into a cycle"},
    {K::option, "at", "repeat until P% at most N", "with most: the repetitions that end a point"},
    {K::option, "most", "repeat until P% at most N", "the repetitions that end a point"},
    {K::option, "list", "chase(list [0B, 64B])", "the byte offsets that are visited, in order"},
    {K::option, "steps", "chase(steps [32 of 1MB, 31 of 128B])",
     "that many steps of each distance, one group after the other"},
    {K::option, "define", "define UNROLL = u, TYPE = \"float\"",
     "macros that a kernel's file is compiled with; a kernel for each value of an axis"},
    {K::option, "entry", "entry FUNCTION(PARAMETER = VALUE, ...)", "the kernel's function"},
    {K::option, "buffer", "PARAMETER = buffer(BYTES, CONTENTS)",
     "memory for a pointer of a kernel from a file, and what it holds at first: one of 'gpx help "
     "contents', a number, or a file such as \"data.npy\""},
    {K::option, "struct", "PARAMETER = struct(i32(VALUE), f32(VALUE), buffer(BYTES), ...)",
     "a struct that a kernel from a file takes by value: its members in their order"},
    {K::space, "global", "global", "global memory, unless another space is named"},
    {K::space, "shared", "shared", "shared memory"},
    {K::space, "constant", "constant", "constant memory"},
    {K::space, "texture", "texture", "texture memory"},
    {K::space, "local", "local", "local memory"},
    {K::space, "peer", "peer", "memory of another GPU of the host"},
    {K::cache, "ca", "cache ca", "cached at all levels"},
    {K::cache, "cg", "cache cg", "cached in L2 alone"},
    {K::cache, "cs", "cache cs", "streaming, likely read once; a virtual device takes it as cg"},
    {K::cache, "cv", "cache cv", "not cached, fetched again; a virtual device takes it as cg"},
    {K::cache, "lu", "cache lu", "last use; a virtual device takes it as ca"},
    {K::cache, "nc", "cache nc", "through the read-only (texture) path"},
    {K::function, "min", "min(a, b, ...), min(COLUMN[KEY=VALUE])",
     "the smallest; in expect also over the points of a column"},
    {K::function, "max", "max(a, b, ...), max(COLUMN[KEY=VALUE])",
     "the largest; in expect also over the points of a column"},
    {K::function, "ceil", "ceil(a)", "rounded up to a whole number"},
    {K::function, "floor", "floor(a)", "rounded down to a whole number"},
    {K::function, "abs", "abs(a)", "without its sign"},
    {K::function, "log2", "log2(a)", "the logarithm to base 2 of a plain number"},
    {K::function, "mean", "mean(COLUMN[KEY=VALUE])",
     "in expect: the arithmetic mean over the points of a column"},
    {K::function, "median", "median(COLUMN[KEY=VALUE])",
     "in expect: the middle value over the points of a column"},
    {K::name, "threads", "threads", "threads a block"},
    {K::name, "blocks", "blocks", "blocks of the grid"},
    {K::name, "cluster", "cluster", "blocks of a cluster"},
    {K::name, "thread", "thread", "in a region: the thread's number in its block"},
    {K::name, "lane", "lane", "in a region: the thread's number in its warp"},
    {K::name, "warp", "warp", "in a region: the warp's number in its block"},
    {K::name, "block", "block", "in a region: the block's number in the grid"},
    {K::name, "rank", "rank", "in a region: the block's number in its cluster"},
    {K::observed, "neighbour_variance", "plot neighbour_variance over X",
     "sample variance of a point and its two neighbours"},
    {K::column, "repetition", "repetition", "of a row of samples: counts from 0"},
    {K::column, "measure", "by measure", "the name of the measure that a row belongs to"},
    {K::column, "outcome", "expect outcome == deadlock",
     "how a launch ended: completed, deadlock or launch_failure"},
    {K::column, "bytes", "derive bandwidth = bytes / time",
     "bytes that the region's accesses move in a launch, of all blocks (with accesses of other "
     "memory, those of shared memory do not count); by time it is a rate, shown in GB/s, 10^9 B/s"},
    {K::launch_column, "clocks", "plot clocks over X",
     "of a kernel from a file: time in SM clocks"},
    {K::launch_column, "comp_insts", "plot comp_insts over X",
     "PTX instructions a warp that reach no global memory"},
    {K::launch_column, "coal_mem_insts", "plot coal_mem_insts over X",
     "coalesced memory instructions a warp"},
    {K::launch_column, "uncoal_mem_insts", "plot uncoal_mem_insts over X",
     "uncoalesced memory instructions a warp"},
    {K::launch_column, "sync_insts", "plot sync_insts over X",
     "barriers a warp, which comp_insts has too"},
    {K::launch_column, "coal_per_mw", "plot coal_per_mw over X",
     "memory transactions of a coalesced access of a warp"},
    {K::launch_column, "uncoal_per_mw", "plot uncoal_per_mw over X",
     "memory transactions of an uncoalesced access of a warp"},
    {K::launch_column, "load_bytes_per_warp", "plot load_bytes_per_warp over X",
     "bytes of a warp's memory access"},
    {K::launch_column, "folded_insts", "plot folded_insts over X",
     "PTX instructions a warp that the machine code does not have"},
    {K::launch_column, "blocks_counted", "plot blocks_counted over X",
     "blocks that were executed for the counts"},
    {K::launch_column, "count_error", "plot count_error over X",
     "half the 95 % interval of the counts over them, where blocks were sampled"},
    {K::launch_column, "warps_per_block", "plot warps_per_block over X", "warps of a block"},
    {K::launch_column, "active_blocks_per_sm", "plot active_blocks_per_sm over X",
     "blocks that an SM holds at a time"},
    {K::launch_column, "active_sms", "plot active_sms over X", "SMs that have a block"},
    {K::launch_column, "static_comp_insts", "plot static_comp_insts over X",
     "comp_insts, found without executing the kernel"},
    {K::launch_column, "static_coal_mem_insts", "plot static_coal_mem_insts over X",
     "coal_mem_insts, found without executing the kernel"},
    {K::launch_column, "static_uncoal_mem_insts", "plot static_uncoal_mem_insts over X",
     "uncoal_mem_insts, found without executing the kernel"},
    {K::launch_column, "static_sync_insts", "plot static_sync_insts over X",
     "sync_insts, found without executing the kernel"},
    {K::launch_column, "loop_trips", "plot loop_trips over X",
     "passes a warp of the kernel's largest loop, found without executing it"},
    {K::launch_column, "loop_comp_insts", "plot loop_comp_insts over X",
     "comp_insts in the kernel's largest loop, found without executing it"},
    {K::launch_column, "loop_coal_mem_insts", "plot loop_coal_mem_insts over X",
     "coal_mem_insts in the kernel's largest loop, found without executing it"},
    {K::launch_column, "loop_uncoal_mem_insts", "plot loop_uncoal_mem_insts over X",
     "uncoal_mem_insts in the kernel's largest loop, found without executing it"},
    {K::launch_column, "loop_sync_insts", "plot loop_sync_insts over X",
     "sync_insts in the kernel's largest loop, found without executing it"},
    {K::launch_column, "resident_blocks", "plot resident_blocks over X",
     "blocks that an SM can hold, whatever the grid"},
    {K::launch_column, "limiter", "the column limiter",
     "what limits the blocks of an SM: registers, shared memory, warps or blocks"},
    {K::launch_column, "occupancy", "plot occupancy over X",
     "warps that an SM can hold of the kernel, of those that it has room for"},
    {K::reduction, "harmonic_mean", "repeat N reduce harmonic_mean", "n / sum(1 / v)"},
    {K::reduction, "mean", "repeat N reduce mean", "the arithmetic mean"},
    {K::reduction, "median", "repeat N reduce median",
     "the middle value, unless another reduction is named"},
    {K::reduction, "min", "repeat N reduce min", "the smallest"},
    {K::reduction, "max", "repeat N reduce max", "the largest"},
    {K::verdict, "measured", "FINDING is measured", "the samples support the value"},
    {K::verdict, "not_observed", "FINDING is not_observed", "absent over the whole sweep"},
    {K::verdict, "inconclusive", "FINDING is inconclusive", "the samples cannot decide"},
    {K::connective, "in", "NAME in [A, B]", "an axis takes the values of a list"},
    {K::connective, "step", "A..B step S, A..B step xK",
     "the distance, or the factor, between values of a range"},
    {K::connective, "zip", "zip(AXIS, AXIS)", "axes that advance together"},
    {K::connective, "reduce", "repeat N reduce HOW", "how repetitions become one number"},
    {K::connective, "until", "repeat until P% [at most N]",
     "repeats a point until the 95 % interval of its value lies within P % of it"},
    {K::connective, "over", "plot Y over X, diverge lane over 31..0",
     "the axis across; the values that are tested"},
    {K::connective, "by", "plot Y over X by A", "one curve for each value"},
    {K::connective, "logx", "plot Y over X logx", "a logarithmic axis across"},
    {K::connective, "logy", "plot Y over X logy", "a logarithmic axis upward"},
    {K::connective, "else", "when CONDITION { ... } else { ... }, else when CONDITION { ... }",
     "for the other threads"},
    {K::connective, "if", "flush if CONDITION", "only where the condition holds"},
    {K::connective, "within", "VALUE within A..B", "true from A to B, both included"},
    {K::connective, "is", "FINDING is VERDICT", "tests a finding's verdict"},
    {K::connective, "and", "A and B", "both hold"},
    {K::connective, "or", "A or B", "one holds"},
    {K::connective, "not", "not A", "does not hold"},
    {K::connective, "true", "true", "truth"},
    {K::connective, "false", "false", "untruth"},
    {K::contents, "hash", "buffer(4MB, hash)", "each 32-bit word its fixed hash; unless given"},
    {K::contents, "zero", "buffer(4MB, zero)", "zeros"},
    {K::contents, "index", "buffer(4MB, index), buffer(4MB, index(STEP))",
     "element i is i, or i * STEP"},
    {K::contents, "uniform", "buffer(4MB, uniform), buffer(4MB, uniform(A, B))",
     "pseudo-random from 0 to 1, or from A to B, fixed by the element: of a pointer to whole "
     "numbers from A to B - 1"},
    {K::contents, "permutation", "buffer(4MB, permutation), buffer(4MB, permutation(SEED))",
     "each element the index of the next on one random cycle, for pointer chases"},
    {K::unit, "B", "128B", "bytes"},
    {K::unit, "KB", "16KB", "1024 bytes, as in the papers; also KiB"},
    {K::unit, "MB", "8MB", "1024 KB; also MiB"},
    {K::unit, "GB", "2GB", "1024 MB; also GiB. In a rate it is 10^9 bytes: help GB/s"},
    {K::unit, "GB/s", "100GB/s, 2MB/ms",
     "10^9 bytes a second, as in data sheets and in all that gpx prints: before / and a unit of "
     "time KB, MB and GB are 10^3, 10^6 and 10^9 bytes; 100GiB/s is 2^30 times 100. A plain number "
     "of GB/s: bytes / time / (1GB/s)"},
    {K::unit, "ns", "20ns", "nanoseconds"},
    {K::unit, "us", "20us", "microseconds"},
    {K::unit, "ms", "10ms", "milliseconds"},
    {K::unit, "s", "2s", "seconds"},
    {K::unit, "Hz", "50Hz", "hertz"},
    {K::unit, "kHz", "5kHz", "1000 Hz"},
    {K::unit, "MHz", "706MHz", "1000 kHz"},
    {K::unit, "GHz", "1.5GHz", "1000 MHz"},
    {K::unit, "clocks", "28clocks", "cycles of the clock that the device counts"},
    {K::unit, "clk", "100/clk, 64B/clk",
     "a clock, behind / of a rate; likewise 100GB/s and 2/ns behind a unit of time"},
};

std::vector<Term> own_words() {
  static const std::string observe_syntax =
      fmt::format("observe {}", fmt::join(kObserveNames, "|"));
  std::vector<Term> words(std::begin(kOwnWords), std::end(kOwnWords));
  std::ranges::find(words, kObserveSyntax, &Term::syntax)->syntax = observe_syntax.c_str();
  return words;
}

/// What can be observed, before what can only be plotted; the columns after those of all samples.
void add_observed(std::vector<Term>& words) {
  static std::deque<std::string> syntaxes;
  std::vector<Term> observed, columns;
  for (const ObserveTraits& row : observations()) {
    observed.push_back({TermKind::observed, row.name,
                        syntaxes.emplace_back(fmt::format("observe {}", row.name)).c_str(),
                        row.help});
    const auto add = [&](const char* name, const ObservedTerm& term) {
      if (term.help) columns.push_back({TermKind::column, name, term.syntax, term.help});
    };
    for (const ObservedKey& key : row.keys) add(key.name, key.term);
    for (const ObservedColumn& column : row.columns) add(column.name, column.term);
  }
  const auto end_of = [&](TermKind kind) {
    const auto last = std::ranges::find(words.rbegin(), words.rend(), kind, &Term::kind);
    return last.base();
  };
  words.insert(end_of(TermKind::column), columns.begin(), columns.end());
  words.insert(end_of(TermKind::observed) - 1, observed.begin(), observed.end());
}

}  // namespace

const std::vector<Term>& vocabulary() {
  static const std::vector<Term> table = [] {
    std::vector<Term> words = own_words();
    add_observed(words);
    static std::deque<std::string> syntaxes;
    for (const PatternRow& row : kPatterns)
      words.push_back(
          {TermKind::pattern, row.name, syntaxes.emplace_back(row.syntax()).c_str(), row.help});
    for (const AtomicName& row : atomic_names())
      words.push_back({TermKind::atomic, row.name.c_str(), row.name.c_str(), row.help.c_str()});
    for (const OperationName& row : operation_names())
      words.push_back({TermKind::operation, row.name.data(), row.name.data(), row.help.data()});
    return words;
  }();
  return table;
}

std::string_view to_string(TermKind kind) {
  static constexpr std::array names = {
      "item",          "statement", "access",  "atomic",     "control",  "operation", "pattern",
      "option",        "space",     "cache",   "function",   "name",     "observed",  "column",
      "launch column", "reduction", "verdict", "connective", "contents", "unit"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> names_of(TermKind kind) {
  static const auto names = [] {
    std::map<TermKind, std::vector<std::string>> all;
    for (const Term& term : vocabulary()) all[term.kind].emplace_back(term.name);
    return all;
  }();
  const auto found = names.find(kind);
  return found == names.end() ? std::vector<std::string>{} : found->second;
}

const Term* find_term(std::string_view name) {
  for (const Term& term : vocabulary())
    if (term.name == name) return &term;
  return nullptr;
}

namespace {

constexpr std::uint32_t bit(TermKind kind) {
  return std::uint32_t{1} << static_cast<unsigned>(kind);
}

/// The bits of all kinds that the word has: a parser asks at each name.
std::uint32_t kinds_of(std::string_view word) {
  static const auto kinds = [] {
    std::unordered_map<std::string_view, std::uint32_t> all;
    for (const Term& term : vocabulary()) all[term.name] |= bit(term.kind);
    return all;
  }();
  const auto found = kinds.find(word);
  return found == kinds.end() ? 0 : found->second;
}

bool has_term(std::string_view word, std::initializer_list<TermKind> kinds) {
  const std::uint32_t all = kinds_of(word);
  return std::ranges::any_of(kinds, [&](TermKind kind) { return (all & bit(kind)) != 0; });
}

}  // namespace

bool is_reserved(std::string_view word) {
  // Of those a column or an axis may have the name.
  return has_term(word, {TermKind::item, TermKind::statement, TermKind::access, TermKind::control,
                         TermKind::connective}) &&
         word != "threads" && word != "blocks" && word != "cluster" && word != "measure" &&
         word != "offset" && word != "stamp" && word != "wait";
}

bool is_statement(std::string_view word) {
  return has_term(word, {TermKind::statement});
}

bool is_timed_word(std::string_view word) {
  return has_term(word, {TermKind::access, TermKind::control});
}

bool describes_launch(std::string_view column) {
  static constexpr std::array kMore = {
      std::string_view("blocks_run"), std::string_view("sample_error"), std::string_view("blocks"),
      std::string_view("registers"),  std::string_view("shared_bytes"), std::string_view("bytes")};
  if (column == "clocks") return false;
  return contains(kMore, column) || has_term(column, {TermKind::launch_column});
}

bool is_thread_name(std::string_view word) {
  return word != "threads" && word != "blocks" && word != "cluster" &&
         has_term(word, {TermKind::name});
}

bool is_column(std::string_view word) {
  // Texts named parameters so before these were columns.
  if (word == "issue" || word == "bytes") return false;
  // `observe each` has no column of that name, `observe time` has.
  if (observe_of(word)) return observed_column(word) != nullptr;
  return has_term(word, {TermKind::observed, TermKind::column, TermKind::launch_column});
}

namespace {

template <typename T, std::size_t N>
using Names = std::array<std::pair<T, const char*>, N>;

constexpr Names<Space, 6> spaces = {{{Space::global, "global"},
                                     {Space::shared, "shared"},
                                     {Space::constant, "constant"},
                                     {Space::texture, "texture"},
                                     {Space::local, "local"},
                                     {Space::peer, "peer"}}};
constexpr Names<CacheOp, 7> caches = {{{CacheOp::unspecified, ""},
                                       {CacheOp::ca, "ca"},
                                       {CacheOp::cg, "cg"},
                                       {CacheOp::cs, "cs"},
                                       {CacheOp::cv, "cv"},
                                       {CacheOp::lu, "lu"},
                                       {CacheOp::nc, "nc"}}};
constexpr Names<Access::Kind, 4> accesses = {{{Access::Kind::load, "load"},
                                              {Access::Kind::store, "store"},
                                              {Access::Kind::copy, "copy"},
                                              {Access::Kind::atomic, "atomic"}}};
constexpr Names<Array::Layout::Kind, 4> layouts = {{{Array::Layout::Kind::stride, "stride"},
                                                    {Array::Layout::Kind::random, "random"},
                                                    {Array::Layout::Kind::list, "list"},
                                                    {Array::Layout::Kind::steps, "steps"}}};
constexpr Names<BufferContents::Kind, 6> buffer_contents = {
    {{BufferContents::Kind::hash, "hash"},
     {BufferContents::Kind::permutation, "permutation"},
     {BufferContents::Kind::zero, "zero"},
     {BufferContents::Kind::index, "index"},
     {BufferContents::Kind::uniform, "uniform"},
     {BufferContents::Kind::value, "value"}}};
constexpr Names<Reduce, 5> reductions = {{{Reduce::harmonic_mean, "harmonic_mean"},
                                          {Reduce::mean, "mean"},
                                          {Reduce::median, "median"},
                                          {Reduce::min, "min"},
                                          {Reduce::max, "max"}}};

template <typename T, std::size_t N>
std::string_view spelling(const Names<T, N>& names, T value) {
  for (const auto& [key, name] : names)
    if (key == value) return name;
  return "";
}

template <typename T, std::size_t N>
std::optional<T> meaning(const Names<T, N>& names, std::string_view text) {
  for (const auto& [key, name] : names)
    if (!text.empty() && name == text) return key;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Space space) {
  return spelling(spaces, space);
}
std::string_view to_string(CacheOp cache) {
  return spelling(caches, cache);
}
std::string_view to_string(Access::Kind kind) {
  return spelling(accesses, kind);
}
std::string_view to_string(Observe observe) {
  return traits_of(observe).name;
}
std::string_view to_string(Reduce reduce) {
  return spelling(reductions, reduce);
}
std::string_view to_string(Array::Layout::Kind layout) {
  return spelling(layouts, layout);
}
std::string_view to_string(BufferContents::Kind contents) {
  return spelling(buffer_contents, contents);
}
std::optional<BufferContents::Kind> contents_of(std::string_view name) {
  return meaning(buffer_contents, name);
}
std::vector<std::string> contents_names() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : buffer_contents)
    if (kind != BufferContents::Kind::value) names.emplace_back(name);
  return names;
}
std::optional<Space> space_of(std::string_view name) {
  return meaning(spaces, name);
}
std::optional<CacheOp> cache_of(std::string_view name) {
  return meaning(caches, name);
}
std::optional<Access::Kind> access_of(std::string_view name) {
  const auto kind = meaning(accesses, name);
  return kind == Access::Kind::atomic ? std::nullopt : kind;
}
std::optional<Observe> observe_of(std::string_view name) {
  const auto row = std::ranges::find(observations(), name, &ObserveTraits::name);
  return row == observations().end() ? std::nullopt : std::optional(row->observe);
}
std::optional<Reduce> reduce_of(std::string_view name) {
  return meaning(reductions, name);
}
std::optional<Array::Layout::Kind> layout_of(std::string_view name) {
  return meaning(layouts, name);
}

const std::vector<UnitRow>& units() {
  constexpr double k = 1024;
  // Within a unit from the largest to the smallest: the order in which a quantity tries them.
  static const std::vector<UnitRow> table = {
      {"GB", Unit::byte, k * k * k, false},  {"MB", Unit::byte, k * k, false},
      {"KB", Unit::byte, k, false},          {"B", Unit::byte, 1, false},
      {"GiB", Unit::byte, k * k * k, false}, {"MiB", Unit::byte, k * k, false},
      {"KiB", Unit::byte, k, false},         {"s", Unit::second, 1, false},
      {"ms", Unit::second, 1e3, true},       {"us", Unit::second, 1e6, true},
      {"ns", Unit::second, 1e9, true},       {"GHz", Unit::hertz, 1e9, false},
      {"MHz", Unit::hertz, 1e6, false},      {"kHz", Unit::hertz, 1e3, false},
      {"Hz", Unit::hertz, 1, false},         {"clocks", Unit::clock, 1, false},
  };
  return table;
}

}  // namespace gpx
