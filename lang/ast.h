// AST: the text as written. Names are not yet looked up, nothing is evaluated; every node knows
// its place, and comments are kept for the formatter.
// Covered by the goldens in tests/lang/golden/ (*.ast).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lang/expr.h"

namespace gpx {
namespace ast {

struct Ident {
  std::string text;
  Span span;
};

/// `merge in [1, 2]`, `threads 2..1024 step 2`, `size 1KB..64MB step x2`.
struct Axis {
  Ident name;
  bool is_list = false;
  std::vector<Expr> list;
  Expr from, to;
  std::optional<Expr> step;
  bool geometric = false;
  Span values_span;  ///< From `in`, or from the range's start.
};

/// One axis, or the axes of a `zip(...)`.
struct AxisGroup {
  bool zipped = false;
  std::vector<Axis> axes;
  Span span;
};

// ---- What is timed ----

/// `load global unique(128B) x3`, `load a each x n`.
struct Access {
  Ident kind;
  std::optional<Ident> space;
  Ident pattern;  ///< Or the name of an array.
  bool has_args = false;
  std::vector<Expr> args;
  std::optional<Expr> width;
  std::optional<Ident> cache;
  std::optional<Expr> count;
  std::optional<Ident> each;   ///< The word, where it stands.
  std::optional<Ident> chain;  ///< The same.
  std::optional<Expr> from;
  std::optional<Expr> rank;  ///< `on rank R`
  bool async = false;        ///< `async load ...`
};
/// `add.u32 x256 chain`, `fma.rn.f32 x256 chain c`, `ptx "fma.rn.f32 %d, %a, %b, %c" chain c`
struct Operate {
  Ident operation;  ///< Or the text in quotation marks.
  bool is_ptx = false;
  std::optional<Expr> count;
  std::optional<Ident> chain;
  std::optional<Ident> source;  ///< Behind `chain`: the source that it runs through.
  std::optional<Expr> streams;
  std::optional<Ident> data;  ///< `data zeros`
};
/// `code 8KB`
struct Code {
  Expr bytes;
};
/// `sync`, `sync cluster`
struct Sync {
  bool cluster = false;
};
/// `wait`
struct Wait {};
struct Stamp {
  std::optional<Ident> label;
};
/// `count = count + 1`
struct Assign {
  Ident variable;
  Expr value;
};
struct Keep {
  Ident column;
  Expr value;
};
/// `run mul`
struct Run {
  Ident kernel;
};

struct Timed;

/// What stands between `{` and `}`, or `<` and `>`.
struct Body {
  std::vector<Timed> statements;
  Span open;
  Span close;
};
struct When {
  Expr condition;
  Body then;
  std::optional<Body> otherwise;
  bool else_when = false;  ///< `otherwise` is one `when`, written without braces.
};
struct While {
  Expr condition;
  Body body;
};
/// `diverge lane over 31..0 { ... }`, `diverge lane over [3, 1, 2] { ... }`
struct Diverge {
  Expr selector;
  bool is_list = false;
  std::vector<Expr> list;
  Expr from, to;
  Body body;
  Span values_span;
};

struct Timed {
  std::variant<Access, Operate, Code, Sync, Wait, Stamp, Assign, Keep, Run, When, While, Diverge>
      node;
  Span span;
};

// ---- Clauses ----

struct Cite {
  Ident work;
  std::vector<Ident> ids;
};
struct Device {
  Ident name;
};
struct Param {
  Ident name;
  Expr value;
};
struct Sweep {
  std::vector<AxisGroup> groups;
};
struct Threads {
  Expr value;
  std::optional<Expr> down = {};  ///< `threads (16, 8, 4)`: the 8.
  std::optional<Expr> deep = {};  ///< The 4.
};
struct Blocks {
  Expr value;
  std::optional<Expr> down = {};
  std::optional<Expr> deep = {};
};
struct Warmup {
  Expr value;
};
struct Repeat {
  std::optional<Expr> value;  ///< `repeat N`, `repeat until P% at most N`: the N.
  std::optional<Expr> until;  ///< The P.
  std::optional<Ident> reduce;
};
struct Flush {
  std::optional<Expr> bytes;
  std::optional<Expr> condition;
};
struct Observe {
  Ident what;
};
struct Offset {
  Expr value;
};
struct Rehearse {
  Expr value;
};
struct Registers {
  Expr value;
};
struct Watchdog {
  Expr value;
};
struct BankWidth {
  Expr value;
};
struct Carveout {
  Expr value;
};
/// `l1_cache off`
struct L1Cache {
  Ident state;
};
/// `place sm 0`
struct Place {
  Expr sm;
};
/// `beside sm 1 if crowded { code 16KB }`
struct Beside {
  Expr sm;
  std::optional<Expr> condition;
  Body body;
};
struct Shared {
  Ident name;
  Expr initial;
};
/// `chase(stride 128B)`, `chase(steps [32 of 1MB, 31 of 128B])`
struct Chase {
  Ident order;
  std::vector<Expr> args;  ///< Of steps: number, distance, number, distance, ...
};
struct Array {
  Ident name;
  Ident space;
  Expr bytes;
  std::optional<Chase> chase;
  std::optional<Expr> width;
};
struct Region {
  Body body;
};
struct Argument {
  Ident name;
  Expr value;
};
struct Cluster {
  Expr value;
};
struct SharedBytes {
  Expr value;
};
/// `kernel mul from "mul.cu" define TILE = 16 entry matmul(n = 2000, a = buffer(4MB, hash))`
struct Kernel {
  Ident name;
  Ident file;
  Ident entry;
  std::vector<Argument> args;
  std::vector<Argument> defines;
};
struct Analyze {
  Ident method;  ///< A name, or the path of a script.
  bool is_file = false;
  std::vector<Argument> args;
};
struct Plot {
  std::vector<Ident> y;
  Ident x;
  std::vector<Ident> by;
  bool log_x = false;
  bool log_y = false;
};
/// `derive bandwidth = bytes / time`
struct Derive {
  Ident name;
  Expr value;
};
/// `buffer(out)`, `checksum(k.out)`
struct ResultOf {
  Ident what;
  std::optional<Ident> kernel;
  Ident buffer;
  Span span;
};
/// `buffer(out) == "reference.npy" within 1e-5`: what it is compared with is one of three.
struct ResultCheck {
  ResultOf result;
  std::optional<ResultOf> other;
  std::optional<Ident> file;
  std::optional<Expr> value;
  std::optional<Expr> within;
};
struct Expect {
  Expr condition;
  std::optional<ResultCheck> result = {};  ///< Instead of a condition.
};
struct Paper {
  Expr finding;
  Expr value;
  std::optional<Expr> high;
  Ident cite;
};
struct Claim {
  Ident sentence;
  Expr condition;
  Ident cite;
};

struct Statement;

/// `measure latency { threads 1 < op x256 chain > }`
struct Measure {
  Ident name;
  std::vector<Statement> statements;
  Span open;  ///< The `{`.
};

struct Statement {
  std::variant<Cite, Device, Param, Sweep, Threads, Blocks, Warmup, Repeat, Flush, Offset, Rehearse,
               Registers, Watchdog, BankWidth, Carveout, L1Cache, Place, Beside, Shared, Cluster,
               SharedBytes, Array, Kernel, Observe, Region, Measure, Derive, Analyze, Plot, Expect,
               Paper, Claim>
      node;
  Span keyword;  ///< `sweep`, or the `<` of a region.
  Span span;
};

/// An `experiment` block, or a bare line (then `name` is empty).
struct Block {
  Ident name;
  std::optional<Ident> title;
  std::vector<Statement> statements;
  bool is_line = false;
  // Parts of it could not be parsed: what seems to be missing may have stood there.
  bool broken = false;        ///< Some clause, perhaps the region.
  bool names_broken = false;  ///< A parameter or an axis.
  bool cites_broken = false;
  Span open;  ///< The `{`.
  Span span;
};

/// A file-level `param`, or an experiment.
using Item = std::variant<Statement, Block>;

/// From `#` to the end of the line.
struct Comment {
  Span span;
  bool own_line = false;  ///< Nothing stands before it on its line.
};

}  // namespace ast

struct Ast {
  std::vector<ast::Item> items;        ///< In the order of the text.
  std::vector<ast::Comment> comments;  ///< In the order of the text.
};

/// `--dump=ast`: one line a node, expressions in prefix form, so that grouping can be seen.
std::string to_string(const Ast& ast);

}  // namespace gpx
