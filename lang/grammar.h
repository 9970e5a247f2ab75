// Grammar: text to a parse tree. PEGTL stays inside grammar.cpp (its rules: grammar_rules.h);
// everything after it sees this.
//
// A statement that does not parse is reported and skipped (to the next line, `;` or brace), so that
// one run reports every mistake. Covered by tests/lang/grammar_test.cpp and the bad-* goldens.
#pragma once

#include <string>
#include <vector>

#include "lang/source.h"

namespace gpx::grammar {

/// What a node of the parse tree stands for. The comment lists its children, in order.
enum class Node {
  none,
  // Names and literals: no children.
  ident,
  number,
  string,
  truth,
  // Operators: no children, the span is the operator.
  sign,
  product_op,
  sum_op,
  compare_op,
  within_op,
  is_op,
  not_op,
  // Expressions: operands with the operators between them.
  power,        ///< base, exponent
  unary,        ///< sign, operand
  product,      ///< operand (product_op operand)+
  sum,          ///< operand (sum_op operand)+
  comparison,   ///< operand op operand; bounds after within_op, ident after is_op
  negation,     ///< not_op, operand
  conjunction,  ///< operand, operand, ...
  disjunction,  ///< operand, operand, ...
  bounds,       ///< low, high
  reference,    ///< ident+ [arguments | keys]
  arguments,    ///< operand, ...
  keys,         ///< (ident value)*, or number
  // Statements.
  cite,          ///< ident+
  device,        ///< ident
  param,         ///< ident, operand
  sweep,         ///< (axis | zip)+
  zip,           ///< axis+
  axis,          ///< ident, values | range
  values,        ///< operand, ...
  range,         ///< from, to [step]
  step,          ///< [times] operand
  times,         ///< the x of `x3`
  threads,       ///< operand | extents
  blocks,        ///< operand | extents
  extents,       ///< operand, operand [operand]
  cluster,       ///< operand
  warmup,        ///< operand
  repeat,        ///< (operand | until) [ident]
  until,         ///< operand [operand]: percent, at most
  flush,         ///< [operand] [condition]
  condition,     ///< operand
  offset,        ///< operand
  rehearse,      ///< operand
  registers,     ///< operand
  watchdog,      ///< operand
  bank_width,    ///< operand
  carveout,      ///< operand
  l1_cache,      ///< ident
  place,         ///< operand
  beside,        ///< operand [condition] block
  shared,        ///< ident, operand
  array,         ///< ident, ident, operand (chase | width)*
  chase,         ///< ident, (operand* | values)
  kernel,        ///< ident string ident argument*
  shared_bytes,  ///< operand
  observe,       ///< ident
  measure,       ///< ident open statement*
  region,        ///< timed*
  // What is timed.
  /// ident [space] ident [arguments] (width | cache | count | each | chain | from | on_rank)*
  access,
  async,    ///< access
  space,    ///< ident
  width,    ///< operand
  cache,    ///< ident
  count,    ///< times operand
  each,     ///< -
  chain,    ///< -
  data,     ///< ident
  from,     ///< operand
  on_rank,  ///< operand
  streams,  ///< operand
  code,     ///< operand
  operate,  ///< (ident | string) (count | chain [ident] | streams)*
  sync,     ///< [of_cluster]
  of_cluster,
  wait,
  stamp,    ///< [ident]
  keep,     ///< ident, operand
  assign,   ///< ident, operand
  run,      ///< ident
  when,     ///< operand block [when | block]
  while_,   ///< operand block
  diverge,  ///< operand (values | bounds) block
  block,    ///< open timed*
  // Clauses that follow the region.
  analyze,   ///< (ident | string) argument*
  argument,  ///< ident, operand
  plot,      ///< columns, ident [by] (logx | logy)*
  columns,   ///< ident+
  by,        ///< ident+
  logx,
  logy,
  derive,         ///< ident, operand
  expect,         ///< operand | expect_result
  expect_result,  ///< result_of (result_of | string | operand) [tolerance]
  result_of,      ///< ident, ident [ident]
  tolerance,      ///< operand
  paper,          ///< reference, operand [operand], ident
  claim,          ///< string, operand, ident
  // The file.
  experiment,  ///< [ident] [string] open statement*
  open,        ///< {
  line,        ///< statement+
  file,        ///< (experiment | line)*
};

struct Tree {
  Node node = Node::none;
  Span span;
  std::vector<Tree> children;
};

struct SyntaxError {
  std::string message;      ///< "expected 'over', found 'ovr'"
  Span span;                ///< Of what was found.
  std::uint32_t begin = 0;  ///< Of the clause that could not be read.
  std::string hint;
  bool open_at_end = false;  ///< At the end of the text, with something still open.
};

struct Parsed {
  Tree tree;
  std::vector<SyntaxError> errors;
  std::size_t more_errors = 0;  ///< Found after the first 1000, and not kept.
};

/// A whole file. Whatever could not be read is missing from the tree.
Parsed parse_file(const std::string& text);
/// The value of a `--set`: values, range, or an operand.
Parsed parse_value(const std::string& text);

}  // namespace gpx::grammar
