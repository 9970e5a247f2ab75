// Numbers that an expression gives at every point of the sweep, and what the threads of a launch
// can compute. Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lang/check_context.h"
#include "lang/extremes.h"

namespace gpx {
namespace {

bool divides(const Expr& expr) {
  return expr.op == Expr::Op::div || std::ranges::any_of(expr.args, divides);
}

struct Summand {
  const Expr* expr;
  bool minus;
};

/// `a + b - c` as a, b and -c.
void add_terms(const Expr& expr, bool minus, std::vector<Summand>& terms) {
  const bool binary = expr.kind == Expr::Kind::binary;
  if (!binary || (expr.op != Expr::Op::add && expr.op != Expr::Op::sub))
    return terms.push_back({&expr, minus});
  add_terms(expr.args[0], minus, terms);
  add_terms(expr.args[1], minus != (expr.op == Expr::Op::sub), terms);
}

/// A number without a unit.
std::optional<double> plain_number(const Expr& expr) {
  const bool plain = expr.kind == Expr::Kind::quantity && expr.quantity.unit == Unit::none;
  return plain ? std::optional(expr.quantity.value) : std::nullopt;
}

/// Takes a term out that is so; false: there is none.
bool take(std::vector<Summand>& terms, const std::function<bool(const Summand&)>& is) {
  const auto found = std::ranges::find_if(terms, is);
  if (found == terms.end()) return false;
  terms.erase(found);
  return true;
}

bool take_one(std::vector<Summand>& terms, bool minus) {
  return take(terms,
              [&](const Summand& t) { return t.minus == minus && plain_number(*t.expr) == 1; });
}

/// Takes `divisor - 1` out, also where it is one number.
bool take_less_one(std::vector<Summand>& terms, const Expr& divisor) {
  if (const auto number = plain_number(divisor); number && take(terms, [&](const Summand& t) {
                                                   return !t.minus &&
                                                          plain_number(*t.expr) == *number - 1;
                                                 }))
    return true;
  return take_one(terms, true) && take(terms, [&](const Summand& t) {
           return !t.minus && to_string(*t.expr) == to_string(divisor);
         });
}

/// What C rounds up by: `(n + d - 1) / d` or `(n - 1) / d + 1`, which here does not round down
/// first, as `n / d`; nothing where it is neither.
std::optional<std::string> quotient_of_c(const Expr& written) {
  std::vector<Summand> outer;
  add_terms(written, false, outer);
  const bool plus_one = outer.size() == 2 && take_one(outer, false);
  if (outer.size() != 1 || outer[0].minus || outer[0].expr->op != Expr::Op::div)
    return std::nullopt;
  const Expr& divisor = outer[0].expr->args[1];
  std::vector<Summand> terms;
  add_terms(outer[0].expr->args[0], false, terms);
  if (!(plus_one ? take_one(terms, true) : take_less_one(terms, divisor))) return std::nullopt;
  if (terms.size() != 1 || terms[0].minus) return std::nullopt;
  Expr quotient = *outer[0].expr;
  quotient.args[0] = Expr(*terms[0].expr);
  return to_string(quotient);
}

/// A quotient that need only be rounded.
std::string rounding_hint(const Expr& written, double value, const NumberRule& rule) {
  const bool rounded = value != std::ceil(value) && rule.admits(std::ceil(value));
  if (!rounded || !divides(written)) return {};
  if (const auto quotient = quotient_of_c(written))
    return fmt::format("'/' does not round down: ceil({})", *quotient);
  return fmt::format("did you mean ceil({})?", to_string(written));
}

bool check_values(CheckContext& context, const Typed& typed, const Expr& written,
                  const NumberRule& rule) {
  const Experiment& e = context.experiment;
  bool good = true;
  for_each_point(e.sweep, {&typed.expr}, [&](const std::vector<Value>& point) {
    const auto value = evaluate(typed.expr, e.scope(point));
    std::string message, hint;
    if (!value) {
      message = value.error().message + where(e.sweep, {&typed.expr}, point);
    } else if (const auto& number = std::get<Quantity>(*value); !rule.admits(number.value)) {
      message = fmt::format("{} is {}{}: it must be {}", rule.what, to_string(number),
                            where(e.sweep, {&typed.expr}, point), rule.limits(number.value));
      hint = rounding_hint(written, number.value, rule);
    }
    if (message.empty()) return true;
    context.problems.add(written.span, message, hint);
    return good = false;
  });
  return good;
}

}  // namespace

std::optional<Expr> checked_number(CheckContext& context, const Expr& expr,
                                   const NumberRule& rule) {
  auto typed = context.names.resolve(expr, {true, false}, context.problems);
  if (!typed) return std::nullopt;
  if (typed->type != Type{Type::Kind::quantity, rule.unit}) {
    context.problems.add(expr.span,
                         fmt::format("{} must be {}, this is {}", rule.what, unit_phrase(rule.unit),
                                     phrase(typed->type)),
                         unit_hint(expr, rule.unit));
    return std::nullopt;
  }
  if (!check_values(context, *typed, expr, rule)) return std::nullopt;
  return std::move(typed->expr);
}

double number_at(const Expr& expr, const Scope& scope) {
  const auto value = evaluate(expr, scope);
  const auto* q = value ? std::get_if<Quantity>(&*value) : nullptr;
  return q ? q->value : 0;
}

namespace {

/// One expression's way through what a thread can compute.
class ThreadPass {
 public:
  explicit ThreadPass(CheckContext& context) : context_(context) {}

  bool truth(const Expr& expr) {
    if (expr.kind == Expr::Kind::truth) return true;
    if (expr.op == Expr::Op::and_ || expr.op == Expr::Op::or_ || expr.op == Expr::Op::not_)
      return std::all_of(expr.args.begin(), expr.args.end(),
                         [&](const Expr& arg) { return truth(arg); });
    if (expr.kind != Expr::Kind::binary) return number(expr);
    const Expr& right = expr.args[1];
    if (right.kind != Expr::Kind::range) return number(expr.args[0]) && number(right);
    return number(expr.args[0]) && number(right.args[0]) && number(right.args[1]);
  }

  bool number(const Expr& expr) {
    if (!varies(expr)) return checked_number(context_, expr, rules::word).has_value();
    if (expr.kind == Expr::Kind::name) return true;
    if (expr.op == Expr::Op::pow) return refuse(expr, "'^'");
    const bool call = expr.kind == Expr::Kind::call;
    if (call && expr.text != "min" && expr.text != "max") return refuse(expr, expr.text);
    return std::all_of(expr.args.begin(), expr.args.end(),
                       [&](const Expr& arg) { return number(arg); });
  }

 private:
  /// Among the threads, or while they run.
  bool varies(const Expr& expr) const {
    bool found = false;
    for_each_name(expr, [&](const Expr& name) {
      found = found || is_thread_name(name.text) || context_.names.is_variable(name.text);
    });
    return found;
  }
  bool refuse(const Expr& expr, std::string_view what) {
    context_.problems.add(expr.span, fmt::format("{} cannot be computed by the threads", what),
                          "they have + - * / %, min, max, comparisons, and, or, not");
    return false;
  }

  CheckContext& context_;
};

}  // namespace

std::optional<Expr> checked_thread_value(CheckContext& context, const Expr& expr,
                                         const ThreadRule& rule) {
  const Allow allow{true, false, true, rule.variables};
  auto typed = context.names.resolve(expr, allow, context.problems);
  if (!typed) return std::nullopt;
  const bool wants_truth = rule.kind == Type::Kind::truth;
  if (typed->type.kind != rule.kind) {
    context.problems.add(expr.span, fmt::format("{} needs {}, this is {}", rule.what,
                                                wants_truth ? "a condition" : "a plain number",
                                                phrase(typed->type)));
    return std::nullopt;
  }
  bool ranked = false;
  for_each_name(typed->expr, [&](const Expr& name) { ranked = ranked || name.text == "rank"; });
  if (ranked && !check_cluster_use(context, expr.span)) return std::nullopt;
  ThreadPass pass(context);
  if (!(wants_truth ? pass.truth(typed->expr) : pass.number(typed->expr))) return std::nullopt;
  return std::move(typed->expr);
}

}  // namespace gpx
