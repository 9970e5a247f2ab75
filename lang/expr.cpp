// Expressions: evaluation with units, and their text with as few parentheses as needed.
// Interface: expr.h; covered by tests/lang/expr_test.cpp.
#include "lang/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lang/lists.h"
#include "lang/quoted.h"
#include "lang/vocabulary.h"

namespace gpx {

Expr Expr::number(double value, Unit unit) {
  Expr expr;
  expr.quantity = {value, unit};
  return expr;
}

Expr Expr::name_of(std::string name) {
  Expr expr;
  expr.kind = Kind::name;
  expr.text = std::move(name);
  return expr;
}

std::string_view spelling(Expr::Op op) {
  using Op = Expr::Op;
  switch (op) {
    case Op::none: return "";
    case Op::add: return "+";
    case Op::sub: return "-";
    case Op::mul: return "*";
    case Op::div: return "/";
    case Op::mod: return "%";
    case Op::pow: return "^";
    case Op::eq: return "==";
    case Op::ne: return "!=";
    case Op::lt: return "<";
    case Op::le: return "<=";
    case Op::gt: return ">";
    case Op::ge: return ">=";
    case Op::and_: return "and";
    case Op::or_: return "or";
    case Op::not_: return "not";
    case Op::neg: return "-";
    case Op::within: return "within";
    case Op::is: return "is";
  }
  return "";
}

std::string_view unit_phrase(Unit unit) {
  switch (unit) {
    case Unit::none: return "a plain number";
    case Unit::byte: return "bytes";
    case Unit::second: return "seconds";
    case Unit::hertz: return "hertz";
    case Unit::clock: return "clocks";
    case Unit::byte_per_second: return "bytes per second";
    case Unit::byte_per_clock: return "bytes per clock";
    case Unit::per_second: return "a number per second";
    case Unit::per_clock: return "a number per clock";
  }
  return "";
}

namespace {

/// Exponents of byte, second and clock.
using Dimension = std::array<int, 3>;

constexpr Dimension dimension(Unit unit) {
  switch (unit) {
    case Unit::none: break;
    case Unit::byte: return {1, 0, 0};
    case Unit::second: return {0, 1, 0};
    case Unit::hertz: return {0, -1, 1};
    case Unit::clock: return {0, 0, 1};
    case Unit::byte_per_second: return {1, -1, 0};
    case Unit::byte_per_clock: return {1, 0, -1};
    case Unit::per_second: return {0, -1, 0};
    case Unit::per_clock: return {0, 0, -1};
  }
  return {0, 0, 0};
}

/// Of a times b to the power of `sign`; nothing where the language has no such unit.
std::optional<Unit> combined(Unit a, Unit b, int sign) {
  Dimension wanted = dimension(a);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += sign * dimension(b)[i];
  const auto* found = std::ranges::find(kUnits, wanted, &dimension);
  return found == kUnits.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

tl::expected<Unit, std::string> result_unit(Expr::Op op, Unit a, Unit b) {
  using Op = Expr::Op;
  const auto misfit = [&](const char* verb, const char* joint) {
    return tl::unexpected(
        fmt::format("cannot {} {} {} {}", verb, unit_phrase(a), joint, unit_phrase(b)));
  };
  switch (op) {
    case Op::add: return a == b ? tl::expected<Unit, std::string>(a) : misfit("add", "and");
    case Op::sub: return a == b ? tl::expected<Unit, std::string>(a) : misfit("subtract", "and");
    case Op::mod:
      if (a == b) return a;
      return misfit("take the remainder of", "by");
    case Op::mul:
      if (const auto unit = combined(a, b, 1)) return *unit;
      return misfit("multiply", "by");
    case Op::div:
      if (const auto unit = combined(a, b, -1)) return *unit;
      return misfit("divide", "by");
    default:
      if (a == Unit::none && b == Unit::none) return Unit::none;
      return misfit("raise", "to a power of");
  }
}

namespace {

using Evaluated = tl::expected<Value, EvalError>;

tl::unexpected<EvalError> wrong(const Expr& at, std::string message) {
  return tl::unexpected(EvalError{std::move(message), at.span});
}

std::string describe(const Value& value) {
  if (const auto* q = std::get_if<Quantity>(&value)) return std::string(unit_phrase(q->unit));
  return std::holds_alternative<bool>(value) ? "a truth value" : "a word";
}

tl::expected<double, std::string> arithmetic(Expr::Op op, double a, double b) {
  switch (op) {
    case Expr::Op::add: return a + b;
    case Expr::Op::sub: return a - b;
    case Expr::Op::mul: return a * b;
    case Expr::Op::div:
      if (b == 0) return tl::unexpected<std::string>("division by zero");
      return a / b;
    case Expr::Op::mod:
      if (b == 0) return tl::unexpected<std::string>("remainder by zero");
      return a - b * std::floor(a / b);
    default: return std::pow(a, b);
  }
}

/// Of integers beyond 2^53 what doubles would round; nothing where they do not.
std::optional<Int128> exact_arithmetic(Expr::Op op, const Quantity& a, const Quantity& b) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto x = integer_of(a), y = integer_of(b);
  if (!x || !y) return std::nullopt;
  switch (op) {
    case Expr::Op::add:
    case Expr::Op::sub:
    case Expr::Op::mul: {
      if (op == Expr::Op::mul && std::abs(a.value) * std::abs(b.value) > 36893488147419103232.0)
        return std::nullopt;
      const Int128 exact = op == Expr::Op::add ? *x + *y : op == Expr::Op::sub ? *x - *y : *x * *y;
      const bool large = std::max({std::abs(a.value), std::abs(b.value),
                                   std::abs(static_cast<double>(exact))}) >= kExact;
      return large ? std::optional(exact) : std::nullopt;
    }
    case Expr::Op::div:
      return *y != 0 && std::abs(a.value) > kExact && *x % *y == 0 ? std::optional(*x / *y)
                                                                   : std::nullopt;
    case Expr::Op::mod: {
      if (*y == 0 || std::max(std::abs(a.value), std::abs(b.value)) <= kExact) return std::nullopt;
      const Int128 rest = *x % *y;
      return rest != 0 && (rest < 0) != (*y < 0) ? rest + *y : rest;
    }
    case Expr::Op::pow: {
      if (*y < 0 || *y > 64 || std::abs(std::pow(a.value, b.value)) > 36893488147419103232.0)
        return std::nullopt;
      Int128 power = 1;
      for (Int128 i = 0; i < *y; ++i) power *= *x;
      return std::abs(static_cast<double>(power)) >= kExact ? std::optional(power) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

Evaluated compute(const Expr& expr, const Value& left, const Value& right) {
  const auto* a = std::get_if<Quantity>(&left);
  const auto* b = std::get_if<Quantity>(&right);
  if (!a || !b)
    return wrong(a ? expr.args[1] : expr.args[0],
                 fmt::format("'{}' needs numbers, this is {}", spelling(expr.op),
                             describe(a ? right : left)));
  const auto unit = result_unit(expr.op, a->unit, b->unit);
  if (!unit) return wrong(expr, unit.error());
  if (const auto exact = exact_arithmetic(expr.op, *a, *b)) return quantity_of(*exact, *unit);
  const auto number = arithmetic(expr.op, a->value, b->value);
  if (!number) return wrong(expr, number.error());
  if (!std::isfinite(*number)) return wrong(expr, "the result is not a finite number");
  return Quantity{*number, *unit};
}

bool holds(Expr::Op op, int order) {
  switch (op) {
    case Expr::Op::eq: return order == 0;
    case Expr::Op::ne: return order != 0;
    case Expr::Op::lt: return order < 0;
    case Expr::Op::le: return order <= 0;
    case Expr::Op::gt: return order > 0;
    default: return order >= 0;
  }
}

/// -1, 0 or 1. A double nearest to an integer never lies beyond that nearest to a larger one.
int order_of(const Quantity& a, const Quantity& b) {
  if (a.value != b.value) return a.value < b.value ? -1 : 1;
  return a.rest < b.rest ? -1 : a.rest > b.rest ? 1 : 0;
}

Evaluated compare(const Expr& expr, const Value& left, const Value& right) {
  const bool equality = expr.op == Expr::Op::eq || expr.op == Expr::Op::ne;
  const auto* a = std::get_if<Quantity>(&left);
  const auto* b = std::get_if<Quantity>(&right);
  if (a && b && a->unit == b->unit) return holds(expr.op, order_of(*a, *b));
  if (a || b || left.index() != right.index())
    return wrong(expr, fmt::format("cannot compare {} with {}", describe(left), describe(right)));
  if (!equality)
    return wrong(expr,
                 fmt::format("'{}' needs numbers, this is {}", spelling(expr.op), describe(left)));
  return holds(expr.op, left == right ? 0 : 1);
}

Evaluated eval_within(const Expr& expr, const Scope& scope) {
  const Expr& range = expr.args[1];
  Value values[3];
  const Expr* parts[3] = {&expr.args[0], &range.args[0], &range.args[1]};
  for (int i = 0; i < 3; ++i) {
    auto value = evaluate(*parts[i], scope);
    if (!value) return value;
    values[i] = *value;
  }
  const auto* v = std::get_if<Quantity>(&values[0]);
  const auto* low = std::get_if<Quantity>(&values[1]);
  const auto* high = std::get_if<Quantity>(&values[2]);
  if (!v || !low || !high) return wrong(expr, "'within' needs numbers");
  if (v->unit != low->unit || v->unit != high->unit)
    return wrong(expr, fmt::format("cannot compare {} with {}", unit_phrase(v->unit),
                                   unit_phrase(v->unit != low->unit ? low->unit : high->unit)));
  return order_of(*low, *v) <= 0 && order_of(*v, *high) <= 0;
}

Evaluated eval_logic(const Expr& expr, const Scope& scope) {
  bool truths[2] = {false, false};
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    auto value = evaluate(expr.args[i], scope);
    if (!value) return value;
    const bool* truth = std::get_if<bool>(&*value);
    if (!truth)
      return wrong(expr.args[i], fmt::format("'{}' needs conditions, this is {}", spelling(expr.op),
                                             describe(*value)));
    truths[i] = *truth;
  }
  if (expr.op == Expr::Op::not_) return !truths[0];
  return expr.op == Expr::Op::and_ ? truths[0] && truths[1] : truths[0] || truths[1];
}

Evaluated eval_binary(const Expr& expr, const Scope& scope) {
  using Op = Expr::Op;
  if (expr.op == Op::and_ || expr.op == Op::or_) return eval_logic(expr, scope);
  if (expr.op == Op::within) return eval_within(expr, scope);
  if (expr.op == Op::is) return wrong(expr, "'is' compares a finding's verdict: it is no value");
  auto left = evaluate(expr.args[0], scope);
  if (!left) return left;
  auto right = evaluate(expr.args[1], scope);
  if (!right) return right;
  return expr.op <= Op::pow ? compute(expr, *left, *right) : compare(expr, *left, *right);
}

Evaluated eval_unary(const Expr& expr, const Scope& scope) {
  if (expr.op == Expr::Op::not_) return eval_logic(expr, scope);
  auto value = evaluate(expr.args[0], scope);
  if (!value) return value;
  const auto* q = std::get_if<Quantity>(&*value);
  if (!q) return wrong(expr, fmt::format("'-' needs a number, this is {}", describe(*value)));
  return Quantity{-q->value, q->unit, -q->rest};
}

Evaluated eval_minmax(const Expr& expr, const std::vector<Quantity>& args) {
  Quantity best = args[0];
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i].unit != best.unit)
      return wrong(expr.args[i], fmt::format("cannot compare {} with {}", unit_phrase(best.unit),
                                             unit_phrase(args[i].unit)));
    const bool smaller = order_of(args[i], best) < 0;
    if (smaller == (expr.text == "min")) best = args[i];
  }
  return best;
}

Evaluated call_function(const Expr& expr, const std::vector<Quantity>& args) {
  if (expr.text == "min" || expr.text == "max") return eval_minmax(expr, args);
  const Quantity a = args[0];
  if (expr.text == "abs")
    return Quantity{std::abs(a.value), a.unit, a.value < 0 ? -a.rest : a.rest};
  if (expr.text == "ceil") return Quantity{std::ceil(a.value), a.unit, a.rest};
  if (expr.text == "floor") return Quantity{std::floor(a.value), a.unit, a.rest};
  if (expr.text != "log2") return wrong(expr, fmt::format("unknown function '{}'", expr.text));
  if (a.unit != Unit::none)
    return wrong(expr.args[0],
                 fmt::format("log2 needs a plain number, this is {}", unit_phrase(a.unit)));
  if (a.value <= 0) return wrong(expr.args[0], "log2 needs a number above 0");
  return Quantity{std::log2(a.value), Unit::none};
}

Evaluated eval_call(const Expr& expr, const Scope& scope) {
  std::vector<Quantity> args;
  for (const Expr& arg : expr.args) {
    auto value = evaluate(arg, scope);
    if (!value) return value;
    const auto* q = std::get_if<Quantity>(&*value);
    if (!q)
      return wrong(arg, fmt::format("{} needs numbers, this is {}", expr.text, describe(*value)));
    args.push_back(*q);
  }
  const bool many = expr.text == "min" || expr.text == "max";
  if (args.empty() || (!many && args.size() != 1))
    return wrong(expr, fmt::format("{} takes {}, not {}", expr.text,
                                   many ? "one or more numbers" : "one number", args.size()));
  return call_function(expr, args);
}

}  // namespace

tl::expected<Value, EvalError> evaluate(const Expr& expr, const Scope& scope) {
  switch (expr.kind) {
    case Expr::Kind::quantity: return expr.quantity;
    case Expr::Kind::truth: return expr.truth;
    case Expr::Kind::word: return expr.text;
    case Expr::Kind::name:
    case Expr::Kind::finding:
      if (const Value* value = scope(expr.text)) return *value;
      return wrong(expr, fmt::format("{} '{}'",
                                     expr.kind == Expr::Kind::name ? "unknown name" : "no finding",
                                     expr.text));
    case Expr::Kind::unary: return eval_unary(expr, scope);
    case Expr::Kind::binary: return eval_binary(expr, scope);
    case Expr::Kind::call: return eval_call(expr, scope);
    case Expr::Kind::range: return wrong(expr, "a range is not a value");
  }
  return wrong(expr, "not an expression");
}

namespace {

/// How tightly an expression binds: what binds less needs parentheses inside what binds more.
enum Level { disjunction, conjunction, negation, comparison, sum, term, sign, power, primary };

Level level_of(Expr::Op op) {
  using Op = Expr::Op;
  switch (op) {
    case Op::or_: return disjunction;
    case Op::and_: return conjunction;
    case Op::not_: return negation;
    case Op::add:
    case Op::sub: return sum;
    case Op::mul:
    case Op::div:
    case Op::mod: return term;
    case Op::neg: return sign;
    case Op::pow: return power;
    default: return comparison;
  }
}

Level level_of(const Expr& expr) {
  if (expr.kind == Expr::Kind::unary || expr.kind == Expr::Kind::binary) return level_of(expr.op);
  if (expr.kind == Expr::Kind::quantity && std::signbit(expr.quantity.value)) return sign;
  return expr.kind == Expr::Kind::range ? comparison : primary;
}

using Leaf = std::function<std::string(const Expr&)>;

std::string print(const Expr& expr, const Leaf& leaf);

std::string print_at(const Expr& expr, Level least, const Leaf& leaf) {
  const std::string text = print(expr, leaf);
  return level_of(expr) < least ? fmt::format("({})", text) : text;
}

bool is_time(const Expr& expr) {
  const auto is_name = [&](const UnitRow& row) {
    return row.unit == Unit::second && row.name == expr.text;
  };
  return expr.kind == Expr::Kind::name
             ? std::ranges::any_of(units(), is_name)
             : expr.kind == Expr::Kind::quantity && expr.quantity.unit == Unit::second;
}

/// The `s` or `clk` of a rate, resolved.
bool is_unit_alone(const Expr& expr) {
  return expr.kind == Expr::Kind::quantity && expr.quantity.unit != Unit::byte &&
         !expr.text.empty();
}

/// As people write it: 100GB/s, 64B/clk.
bool is_rate(const Expr& expr) {
  const Expr &a = expr.args[0], &b = expr.args[1];
  return expr.op == Expr::Op::div && a.kind == Expr::Kind::quantity && level_of(a) == primary &&
         b.kind == Expr::Kind::name &&
         (b.text == "clk" ||
          std::ranges::any_of(units(), [&](const UnitRow& row) { return row.name == b.text; }));
}

bool is_bytes(const Expr& expr) {
  return expr.kind == Expr::Kind::quantity && expr.quantity.unit == Unit::byte &&
         level_of(expr) == primary;
}

/// A size whose multiples read back as binary ones in a rate, too: 500GiB.
std::string print_binary_bytes(const Expr& bytes) {
  std::string text = to_string(bytes.quantity);
  if (text.size() > 1 && std::string_view("KMG").find(text[text.size() - 2]) != std::string::npos)
    text.insert(text.size() - 1, 1, 'i');
  return text;
}

/// The bytes before `/ s`, whose multiples are decimal: 500GB. Where `s` is not resolved yet, they
/// stand as they were written.
std::string print_rated(const Expr& bytes, bool resolved) {
  const double value = bytes.quantity.value;
  for (const UnitRow& row : units())
    if (!resolved && row.name == bytes.text)
      return fmt::format("{}{}", value / row.scale, row.name);
  std::string shortest = print_binary_bytes(bytes);
  for (const auto& [scale, unit] :
       {std::pair(1e9, "GB"), std::pair(1e6, "MB"), std::pair(1e3, "KB")}) {
    if (value == 0 || std::fmod(value, scale) != 0) continue;
    const std::string decimal = fmt::format("{:.0f}{}", value / scale, unit);
    if (decimal.size() < shortest.size()) shortest = decimal;
  }
  return shortest;
}

/// A quotient by a unit without a number: `100GB/s`, `0.9 * 100GB/s`, `bytes / clk`.
std::string print_rate(const Expr& a, const Expr& unit) {
  const bool resolved = unit.kind == Expr::Kind::quantity;
  const bool product = a.kind == Expr::Kind::binary && a.op == Expr::Op::mul;
  if (is_time(unit) && is_bytes(a))
    return fmt::format("{}/{}", print_rated(a, resolved), unit.text);
  if (is_time(unit) && product && is_bytes(a.args[1]))
    return fmt::format("{} * {}/{}", print_at(a.args[0], term, {}),
                       print_rated(a.args[1], resolved), unit.text);
  return fmt::format("{} / {}", print_at(a, term, {}), unit.text);
}

std::string print_binary(const Expr& expr, const Leaf& leaf) {
  const Level level = level_of(expr.op);
  const Expr &a = expr.args[0], &b = expr.args[1];
  if (expr.op == Expr::Op::is) return fmt::format("{} is {}", print_at(a, sum, leaf), b.text);
  if (expr.op == Expr::Op::pow)  // Groups to the right: a ^ b ^ c is a ^ (b ^ c).
    return fmt::format("{} ^ {}", print_at(a, primary, leaf), print_at(b, sign, leaf));
  // Others group to the left; comparisons do not chain at all.
  const Level left = level == comparison ? sum : level;
  const Level right = static_cast<Level>(level + 1);
  const bool unit = is_unit_alone(b) || (b.kind == Expr::Kind::name && is_time(b));
  if (!leaf && expr.op == Expr::Op::div && unit) return print_rate(a, b);
  if (!leaf && expr.op == Expr::Op::div && is_bytes(a) && is_time(b))
    return fmt::format("{} / {}", print_binary_bytes(a), print_at(b, right, leaf));
  if (leaf && is_rate(expr)) return fmt::format("{}/{}", print(a, leaf), b.text);
  return fmt::format("{} {} {}", print_at(a, left, leaf), spelling(expr.op),
                     b.kind == Expr::Kind::range ? print(b, leaf) : print_at(b, right, leaf));
}

std::string print_call(const Expr& expr, const Leaf& leaf) {
  const auto text = [&](const Expr& arg) { return print(arg, leaf); };
  return expr.text + "(" + joined(expr.args, ", ", text) + ")";
}

std::string print(const Expr& expr, const Leaf& leaf) {
  switch (expr.kind) {
    case Expr::Kind::quantity: return leaf ? leaf(expr) : to_string(expr.quantity);
    case Expr::Kind::truth: return expr.truth ? "true" : "false";
    case Expr::Kind::word: return quoted(expr.text);
    case Expr::Kind::name:
    case Expr::Kind::finding: return expr.text;
    case Expr::Kind::unary:
      if (expr.op == Expr::Op::not_)
        return fmt::format("not {}", print_at(expr.args[0], negation, leaf));
      return fmt::format("-{}", print_at(expr.args[0], sign, leaf));
    case Expr::Kind::binary: return print_binary(expr, leaf);
    case Expr::Kind::call: return print_call(expr, leaf);
    case Expr::Kind::range:
      return print_at(expr.args[0], sum, leaf) + ".." + print_at(expr.args[1], sum, leaf);
  }
  return {};
}

}  // namespace

std::string to_string(const Expr& expr) {
  return print(expr, {});
}

std::string to_string(const Expr& expr, const Leaf& leaf) {
  return print(expr, leaf);
}

bool is_primary(const Expr& expr) {
  return level_of(expr) == primary;
}

bool is_sum(const Expr& expr) {
  return level_of(expr) >= sum;
}

void for_each_name(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  if (expr.kind == Expr::Kind::name || expr.kind == Expr::Kind::finding) visit(expr);
  for (const Expr& arg : expr.args) for_each_name(arg, visit);
}

}  // namespace gpx
