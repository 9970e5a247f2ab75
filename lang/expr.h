// Expressions: what stands wherever the language takes a number.
//
// An Expr is a plain tree with value semantics, the same in the AST and in the experiment IR. Names
// are resolved by the checker (every name of a checked expression has a value in the scope that it
// is evaluated in). Covered by tests/lang/expr_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/value.h"

namespace gpx {

struct Expr {
  enum class Kind {
    quantity,  ///< `quantity`; `text`: of bytes their unit as written, of a time one without number
    truth,     ///< `truth`
    word,      ///< `text` is a quoted string
    name,      ///< `text` is a parameter, an axis, a built-in, or a bare word of a list
    finding,   ///< `text` is a finding's name in canonical form: outstanding.saturation[n=2]
    unary,     ///< `op` args[0]; op is - or not
    binary,    ///< args[0] `op` args[1]
    call,      ///< `text`(args...): min, max, ceil, floor, abs, log2
    range,     ///< args[0] .. args[1], only to the right of `within`
  };
  /// Spelled as in the language.
  enum class Op {
    none,
    add,
    sub,
    mul,
    div,
    mod,
    pow,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    and_,
    or_,
    not_,
    neg,
    within,
    is
  };

  Kind kind = Kind::quantity;
  Op op = Op::none;
  Quantity quantity;
  bool truth = false;
  std::string text;
  std::vector<Expr> args;
  /// Of a finding, also part of `text`: (n, 2) of latency[n=2]; one without a name is a number.
  std::vector<std::pair<std::string, Value>> keys = {};
  Span span;

  static Expr number(double value, Unit unit = Unit::none);
  static Expr name_of(std::string name);
};

/// Looks a name up; nullptr where the scope does not have it.
using Scope = std::function<const Value*(std::string_view name)>;

/// What evaluation can find wrong: a unit that does not fit, a division by zero, a missing name.
struct EvalError {
  std::string message;
  Span span;
};

/// Units are checked: adding bytes to seconds is an error, dividing bytes by bytes is a number.
/// Findings are looked up in the scope under their canonical name; `within` on a finding tests the
/// value (a caller that knows intervals resolves `within` itself, see
/// runtime/analysis/expectation.h).
tl::expected<Value, EvalError> evaluate(const Expr& expr, const Scope& scope);

/// The unit of `a op b`, or why the two do not fit. Arithmetic only (add to pow).
tl::expected<Unit, std::string> result_unit(Expr::Op op, Unit a, Unit b);
/// "bytes", "a plain number", ... for messages.
std::string_view unit_phrase(Unit unit);
/// The operator as written: "+", "and", "within".
std::string_view spelling(Expr::Op op);

/// The expression in canonical form, with as few parentheses as its structure needs. `leaf` may
/// print a quantity in another way (the formatter keeps the author's spelling).
std::string to_string(const Expr& expr);
std::string to_string(const Expr& expr, const std::function<std::string(const Expr&)>& leaf);
/// True where the text of `expr` needs no parentheses beside another word.
bool is_primary(const Expr& expr);
/// True where it needs none as a clause's operand or a range's end: it does not compare.
bool is_sum(const Expr& expr);

/// Calls `visit` with each Kind::name (or Kind::finding) node.
void for_each_name(const Expr& expr, const std::function<void(const Expr&)>& visit);

}  // namespace gpx
