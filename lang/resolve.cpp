// Names and types of expressions. Interface: resolve.h; covered by tests/lang/check_test.cpp and
// expr_test.cpp.
#include "lang/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lang/build.h"
#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/operations.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

// What would give the column.
std::string column_hint(const std::string& column) {
  for (const ObserveTraits& row : observations())
    for (const ObservedColumn& one : row.columns)
      if (column == one.name) return fmt::format("'observe {}' gives it", row.name);
  return {};
}

}  // namespace

Type type_of(const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value))
    return {Type::Kind::quantity, quantity->unit};
  return {std::holds_alternative<bool>(value) ? Type::Kind::truth : Type::Kind::word, Unit::none};
}

std::string phrase(Type type) {
  switch (type.kind) {
    case Type::Kind::quantity: return std::string(unit_phrase(type.unit));
    case Type::Kind::truth: return "a condition";
    case Type::Kind::word: return "a word";
    case Type::Kind::unknown: return "a finding";
  }
  return {};
}

std::string unit_hint(const Expr& expr, Unit wanted) {
  const bool plain = expr.kind == Expr::Kind::quantity && expr.quantity.unit == Unit::none;
  if (!plain || wanted == Unit::none) return {};
  const std::string_view symbol = wanted == Unit::byte_per_second ? "GB/s" : unit_symbol(wanted);
  return fmt::format("did you mean {}{}?", to_string(expr.quantity), symbol);
}

namespace {

/// The plain number of the two in the other's unit.
std::string missing_unit(const Expr& left, const Type& a, const Expr& right, const Type& b) {
  if (a.kind != Type::Kind::quantity || b.kind != Type::Kind::quantity) return {};
  const std::string hint = unit_hint(right, a.unit);
  return hint.empty() ? unit_hint(left, b.unit) : hint;
}

}  // namespace

bool is_outcome(const Expr& expr) {
  const bool named = expr.kind == Expr::Kind::name || expr.kind == Expr::Kind::finding;
  return named && (expr.text == "outcome" || expr.text.rfind("outcome[", 0) == 0);
}

std::string_view base_of(const Expr& reference) {
  return std::string_view(reference.text).substr(0, reference.text.find('['));
}

const Axis* Names::axis(std::string_view name) const {
  if (!sweep_) return nullptr;
  for (const auto& group : sweep_->groups)
    for (const Axis& axis : group)
      if (axis.name == name) return &axis;
  return nullptr;
}

const Value* Names::parameter(std::string_view name) const {
  return find_value(parameters_, std::string(name));
}

std::vector<std::string> Names::axis_names() const {
  std::vector<std::string> names;
  if (sweep_)
    for (const Axis* axis : sweep_->axes()) names.push_back(axis->name);
  return names;
}

std::vector<std::string> Names::known(Allow allow) const {
  std::vector<std::string> names;
  if (allow.axes) names = axis_names();
  for (const auto& [name, value] : parameters_) names.push_back(name);
  for (const auto& [name, value] : builtins_) names.push_back(name);
  if (allow.variables) names.insert(names.end(), variables_.begin(), variables_.end());
  if (allow.columns || allow.samples)
    for (const auto& [name, unit] : columns_) names.push_back(name);
  for (const std::string& name : names_of(TermKind::name))
    if (allow.threads && is_thread_name(name)) names.push_back(name);
  return names;
}

/// One expression's way through the names.
class Names::Pass {
 public:
  Pass(const Names& names, Allow allow, Problems& problems)
      : names_(names), allow_(allow), problems_(problems) {}

  std::optional<Typed> visit(const Expr& expr);

 private:
  using Result = std::optional<Typed>;

  std::nullopt_t wrong(Span span, std::string message, std::string hint = {}) {
    problems_.add(span, std::move(message), std::move(hint));
    return std::nullopt;
  }
  Result name(const Expr& expr);
  Result of_threads(const Expr& expr);
  Result finding(const Expr& expr);
  std::optional<Typed> word_of_axis(const Expr& expr);
  bool outcome_words(Expr& expr);
  Result unknown(const Expr& expr);
  Result unary(const Expr& expr);
  Result binary(const Expr& expr);
  Result within(const Expr& expr);
  Result call(const Expr& expr);
  const Unit* column(const Expr& reference) const;
  Result column_alone(const Expr& expr);
  Result of_samples(const Expr& expr);
  std::optional<Expr> unit_below(const Expr& divisor) const;
  void count_by_thousands(Expr& rated) const;
  std::vector<std::string> column_names() const {
    std::vector<std::string> names;
    for (const auto& [name, unit] : names_.columns_) names.push_back(name);
    return names;
  }
  Result arithmetic(const Expr& expr, const Type& a, const Type& b);
  Result comparison(const Expr& expr, const Type& a, const Type& b);
  bool expect_kind(const Expr& at, const Type& type, Type::Kind kind, std::string_view who);
  bool same_unit(const Expr& at, const Type& a, const Type& b, const std::string& hint = {});
  /// The operands in place of expr's own, checked; nothing where one is wrong.
  std::optional<std::vector<Type>> operands(Expr& expr);

  const Names& names_;
  Allow allow_;
  Problems& problems_;
};

std::optional<std::vector<Type>> Names::Pass::operands(Expr& expr) {
  std::vector<Type> types;
  bool good = true;
  for (Expr& arg : expr.args) {
    auto typed = visit(arg);
    good = good && typed;
    if (!typed) continue;
    types.push_back(typed->type);
    arg = std::move(typed->expr);
  }
  if (!good) return std::nullopt;
  return types;
}

std::optional<Typed> Names::Pass::unknown(const Expr& expr) {
  if (names_.tolerant_ || names_.is_poisoned(expr.text)) return std::nullopt;
  if (!allow_.axes && names_.axis(expr.text))
    return wrong(expr.span, fmt::format("the axis '{}' has no single value here", expr.text));
  if (names_.is_derived(expr.text))
    return wrong(expr.span, fmt::format("'{}' is a column of the samples", expr.text),
                 "it can be used in plot, analyze, expect and a later derive");
  std::string hint = suggest(expr.text, names_.known(allow_));
  if (hint.empty() && allow_.findings)
    hint = fmt::format("a word is written in quotes: \"{}\"", expr.text);
  if (is_column(expr.text)) {
    if (allow_.columns || allow_.samples) hint = column_hint(expr.text);
  } else if (hint.empty() && (allow_.columns || allow_.samples)) {
    std::vector<std::string> columns;
    for (const auto& [name, unit] : names_.columns_) columns.push_back(name);
    std::ranges::sort(columns);
    hint = fmt::format("the columns are {}", fmt::join(columns, ", "));
  } else if (hint.empty()) {
    hint = fmt::format("{}'param {} = 1' names a value",
                       allow_.axes ? fmt::format("'sweep {} 1..8' varies it, ", expr.text) : "",
                       expr.text);
  }
  return wrong(expr.span, fmt::format("unknown name '{}'", expr.text), hint);
}

/// What differs among the threads of a launch, or may change while it runs.
std::optional<Typed> Names::Pass::of_threads(const Expr& expr) {
  const bool variable = names_.is_variable(expr.text);
  if (variable ? allow_.variables : allow_.threads)
    return Typed{expr, {Type::Kind::quantity, Unit::none}};
  if (allow_.threads)
    return wrong(expr.span,
                 fmt::format("the shared variable '{}' cannot stand here: what is tested "
                             "depends on the thread alone",
                             expr.text));
  return wrong(
      expr.span,
      fmt::format("'{}' can be used only in the conditions and values of a region", expr.text),
      variable ? "it is a shared variable" : "it differs among the threads");
}

/// `state == flushed`: a value of some axis.
std::optional<Typed> Names::Pass::word_of_axis(const Expr& expr) {
  if (!names_.sweep_) return std::nullopt;
  for (const Axis* axis : names_.sweep_->axes())
    for (const Value& value : axis->values) {
      if (!std::holds_alternative<std::string>(value)) break;
      if (std::get<std::string>(value) != expr.text) continue;
      Expr word = expr;
      word.kind = Expr::Kind::word;
      return Typed{word, type_of(value)};
    }
  return std::nullopt;
}

/// Of a column that is no axis and no parameter here; nullptr: it is none.
const Unit* Names::Pass::column(const Expr& reference) const {
  const std::string_view base = base_of(reference);
  if (names_.axis(base) || names_.parameter(base)) return nullptr;
  return find_value(names_.columns_, base);
}

/// It has a value for each row.
std::optional<Typed> Names::Pass::column_alone(const Expr& expr) {
  if (allow_.columns && expr.keys.empty())
    return Typed{expr, {Type::Kind::quantity, *column(expr)}};
  if (allow_.columns)
    return wrong(expr.span, "a derived column has a value at every point: remove the keys",
                 fmt::format("write {}", base_of(expr)));
  return wrong(
      expr.span, fmt::format("'{}' has a value at every point", base_of(expr)),
      fmt::format("one number of them is max({0}), min({0}), mean({0}) or median({0})", expr.text));
}

/// `max(latency[n=2])`: named as it is written, with the column as its argument.
std::optional<Typed> Names::Pass::of_samples(const Expr& expr) {
  const Expr& reference = expr.args[0];
  Expr named = expr;
  named.kind = Expr::Kind::finding;
  named.text = fmt::format("{}({})", expr.text, reference.text);
  return Typed{std::move(named), {Type::Kind::quantity, *column(reference)}};
}

/// `3000GB / s`, `64B / clk`: a unit where no such name is known.
std::optional<Expr> Names::Pass::unit_below(const Expr& divisor) const {
  if (divisor.kind != Expr::Kind::name || names_.axis(divisor.text) ||
      names_.parameter(divisor.text) || names_.is_variable(divisor.text) ||
      names_.builtins_.count(divisor.text) > 0 || (allow_.columns && column(divisor)))
    return std::nullopt;
  const std::string_view name = divisor.text == "clk" ? std::string_view("clocks") : divisor.text;
  const auto row = std::ranges::find(units(), name, &UnitRow::name);
  if (row == units().end() || (row->unit != Unit::second && row->unit != Unit::clock))
    return std::nullopt;
  Expr one = Expr::number(row->divide ? 1 / row->scale : row->scale, row->unit);
  one.text = divisor.text;
  one.span = divisor.span;
  return one;
}

/// `100GB` of `100GB/s`, also of `0.9 * 100GB/s`: multiples of a rate are decimal, as everywhere
/// but in the language's sizes. `GiB` stays what it is.
void Names::Pass::count_by_thousands(Expr& rated) const {
  if (rated.kind == Expr::Kind::binary && rated.op == Expr::Op::mul)
    return count_by_thousands(rated.args[1]);
  if (rated.kind != Expr::Kind::quantity || rated.quantity.unit != Unit::byte) return;
  if (rated.text.size() != 2) return;  // KB, MB, GB; B and KiB have no other meaning.
  constexpr double kBinary = 1024, kDecimal = 1000;
  const std::size_t power = std::string_view(" KMG").find(rated.text[0]);
  rated.quantity.value *= std::pow(kDecimal, power) / std::pow(kBinary, power);
}

/// A name with dots: a finding, an operation, or a word that some axis takes.
std::optional<Typed> Names::Pass::finding(const Expr& expr) {
  if ((allow_.columns || allow_.samples) && !expr.keys.empty() && column(expr))
    return column_alone(expr);
  if (is_operation(expr.text)) {
    Expr word = expr;
    word.kind = Expr::Kind::word;
    return Typed{word, {Type::Kind::word, Unit::none}};
  }
  if (allow_.findings) return Typed{expr, {}};
  if (auto word = word_of_axis(expr)) return word;
  return wrong(expr.span, "findings can be used only in expect and claim");
}

/// `outcome == deadlock`: the finding, and a word without quotes.
bool Names::Pass::outcome_words(Expr& expr) {
  for (std::size_t i = 0; i < 2; ++i) {
    Expr& other = expr.args[1 - i];
    if (!allow_.findings || !is_outcome(expr.args[i]) || other.kind != Expr::Kind::name) continue;
    if (names_.parameter(other.text) || is_outcome(other)) continue;
    static const std::vector<std::string> words = {"completed", "deadlock", "launch_failure"};
    if (!contains(words, other.text)) {
      wrong(other.span, fmt::format("'{}' is no outcome", other.text),
            suggest(other.text, words, "outcomes"));
      return false;
    }
    other.kind = Expr::Kind::word;
  }
  return true;
}

std::optional<Typed> Names::Pass::name(const Expr& expr) {
  if (allow_.findings && is_outcome(expr)) {
    Expr out = expr;
    out.kind = Expr::Kind::finding;
    return Typed{out, {}};
  }
  const Axis* axis = names_.axis(expr.text);
  if (axis && allow_.axes) {
    names_.use(axis->name);
    return Typed{expr, type_of(axis->values.front())};
  }
  if (axis) return unknown(expr);
  if (const Value* value = names_.parameter(expr.text)) return Typed{expr, type_of(*value)};
  const auto builtin = names_.builtins_.find(expr.text);
  if (builtin != names_.builtins_.end()) {
    // What `threads` stands for may itself vary: then it has no single value either.
    std::optional<Typed> typed = Pass(names_, allow_, problems_).visit(builtin->second.expr);
    if (typed) typed->expr.span = expr.span;
    return typed;
  }
  if (is_thread_name(expr.text) || names_.is_variable(expr.text)) return of_threads(expr);
  if ((allow_.columns || allow_.samples) && column(expr)) return column_alone(expr);
  if (auto word = word_of_axis(expr)) return word;
  return unknown(expr);
}

bool Names::Pass::expect_kind(const Expr& at, const Type& type, Type::Kind kind,
                              std::string_view who) {
  if (type.kind == kind || type.kind == Type::Kind::unknown) return true;
  wrong(at.span, fmt::format("{} needs {}, this is {}", who,
                             kind == Type::Kind::truth ? "a condition" : "a number", phrase(type)));
  return false;
}

bool Names::Pass::same_unit(const Expr& at, const Type& a, const Type& b, const std::string& hint) {
  if (a.kind == Type::Kind::unknown || b.kind == Type::Kind::unknown || a == b) return true;
  const auto is = [&](Unit unit) { return a.unit == unit || b.unit == unit; };
  const bool times = hint.empty() && is(Unit::clock) && is(Unit::second);
  wrong(at.span, fmt::format("cannot compare {} with {}", phrase(a), phrase(b)),
        times
            ? "'observe latency' gives clocks, 'observe time' seconds: write both sides in one unit"
            : hint);
  return false;
}

std::optional<Typed> Names::Pass::arithmetic(const Expr& expr, const Type& a, const Type& b) {
  const std::string who = fmt::format("'{}'", spelling(expr.op));
  if (!expect_kind(expr.args[0], a, Type::Kind::quantity, who)) return std::nullopt;
  if (!expect_kind(expr.args[1], b, Type::Kind::quantity, who)) return std::nullopt;
  if (a.kind == Type::Kind::unknown || b.kind == Type::Kind::unknown) return Typed{expr, {}};
  const auto unit = result_unit(expr.op, a.unit, b.unit);
  if (!unit) return wrong(expr.span, unit.error());
  return Typed{expr, {Type::Kind::quantity, *unit}};
}

std::optional<Typed> Names::Pass::comparison(const Expr& expr, const Type& a, const Type& b) {
  const bool equality = expr.op == Expr::Op::eq || expr.op == Expr::Op::ne;
  if (!equality) {
    const std::string who = fmt::format("'{}'", spelling(expr.op));
    if (!expect_kind(expr.args[0], a, Type::Kind::quantity, who)) return std::nullopt;
    if (!expect_kind(expr.args[1], b, Type::Kind::quantity, who)) return std::nullopt;
  }
  if (!same_unit(expr, a, b, missing_unit(expr.args[0], a, expr.args[1], b))) return std::nullopt;
  return Typed{expr, {Type::Kind::truth, Unit::none}};
}

std::optional<Typed> Names::Pass::within(const Expr& expr) {
  Expr out = expr;
  auto value = visit(out.args[0]);
  const auto ends = operands(out.args[1]);
  if (!value || !ends) return std::nullopt;
  out.args[0] = std::move(value->expr);
  if (!expect_kind(out.args[0], value->type, Type::Kind::quantity, "'within'")) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const Expr& end = out.args[1].args[i];
    if (!expect_kind(end, (*ends)[i], Type::Kind::quantity, "a range")) return std::nullopt;
    if (!same_unit(end, value->type, (*ends)[i],
                   missing_unit(out.args[0], value->type, end, (*ends)[i])))
      return std::nullopt;
  }
  if (!same_unit(out.args[1], (*ends)[0], (*ends)[1])) return std::nullopt;
  const Expr &low = out.args[1].args[0], &high = out.args[1].args[1];
  const bool literal = low.kind == Expr::Kind::quantity && high.kind == Expr::Kind::quantity;
  if (literal && high.quantity.value < low.quantity.value)
    return wrong(out.args[1].span, "the range ends before it begins");
  return Typed{std::move(out), {Type::Kind::truth, Unit::none}};
}

std::optional<Typed> Names::Pass::binary(const Expr& expr) {
  using Op = Expr::Op;
  if (expr.op == Op::within) return within(expr);
  if (expr.op == Op::is) {
    if (expr.args[0].kind != Expr::Kind::finding && expr.args[0].kind != Expr::Kind::name)
      return wrong(expr.args[0].span, "'is' needs a finding");
    if (!allow_.findings) return wrong(expr.span, "findings can be used only in expect and claim");
    Expr out = expr;
    out.args[0].kind = Expr::Kind::finding;
    return Typed{std::move(out), {Type::Kind::truth, Unit::none}};
  }
  Expr out = expr;
  if (expr.op == Op::div)
    if (auto unit = unit_below(expr.args[1])) {
      if (unit->quantity.unit == Unit::second) count_by_thousands(out.args[0]);
      out.args[1] = std::move(*unit);
    }
  const bool equality = expr.op == Op::eq || expr.op == Op::ne;
  if (equality && !outcome_words(out)) return std::nullopt;
  const auto types = operands(out);
  if (!types) return std::nullopt;
  const Type &a = (*types)[0], &b = (*types)[1];
  if (expr.op <= Op::pow) return arithmetic(out, a, b);
  if (expr.op != Op::and_ && expr.op != Op::or_) return comparison(out, a, b);
  const std::string who = fmt::format("'{}'", spelling(expr.op));
  if (!expect_kind(out.args[0], a, Type::Kind::truth, who)) return std::nullopt;
  if (!expect_kind(out.args[1], b, Type::Kind::truth, who)) return std::nullopt;
  return Typed{std::move(out), {Type::Kind::truth, Unit::none}};
}

std::optional<Typed> Names::Pass::unary(const Expr& expr) {
  Expr out = expr;
  const auto types = operands(out);
  if (!types) return std::nullopt;
  const auto kind = expr.op == Expr::Op::not_ ? Type::Kind::truth : Type::Kind::quantity;
  if (!expect_kind(out.args[0], (*types)[0], kind, fmt::format("'{}'", spelling(expr.op))))
    return std::nullopt;
  const Unit unit = kind == Type::Kind::truth ? Unit::none : (*types)[0].unit;
  return Typed{std::move(out), {kind, unit}};
}

std::optional<Typed> Names::Pass::call(const Expr& expr) {
  const auto functions = names_of(TermKind::function);
  if (!contains(functions, expr.text)) {
    return wrong(expr.span, fmt::format("unknown function '{}'", expr.text),
                 suggest(expr.text, functions, "functions"));
  }
  const bool reduces = expr.text == "mean" || expr.text == "median";
  const bool may = reduces || expr.text == "min" || expr.text == "max";
  const bool is_column =
      may && expr.args.size() == 1 && column(expr.args[0]) &&
      (expr.args[0].kind == Expr::Kind::name || expr.args[0].kind == Expr::Kind::finding);
  if (allow_.samples && is_column) return of_samples(expr);
  if (allow_.columns && is_column)
    return wrong(
        expr.span, fmt::format("'{}' over the points is one number", to_string(expr)),
        "it can be used in expect and claim; in derive a column has its value at each point");
  if (reduces && !allow_.samples)
    return wrong(expr.span, fmt::format("'{}' is of samples", expr.text),
                 "it can be used in expect and claim");
  if (reduces)
    return wrong(expr.args.size() == 1 ? expr.args[0].span : expr.span,
                 fmt::format("{} takes a column of the samples", expr.text),
                 fmt::format("the columns are {}", fmt::join(column_names(), ", ")));
  Expr out = expr;
  const auto types = operands(out);
  if (!types) return std::nullopt;
  const bool many = expr.text == "min" || expr.text == "max";
  if (types->empty() || (!many && types->size() != 1))
    return wrong(expr.span,
                 fmt::format("{} takes {}, not {}", expr.text,
                             many ? "one or more numbers" : "one number", types->size()));
  for (std::size_t i = 0; i < types->size(); ++i) {
    if (!expect_kind(out.args[i], (*types)[i], Type::Kind::quantity, expr.text))
      return std::nullopt;
    if (!same_unit(out.args[i], (*types)[0], (*types)[i])) return std::nullopt;
  }
  Type type = types->front();
  if (expr.text == "log2" && type.unit != Unit::none)
    return wrong(out.args[0].span,
                 fmt::format("log2 needs a plain number, this is {}", phrase(type)));
  return Typed{std::move(out), type};
}

std::optional<Typed> Names::Pass::visit(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::quantity:
      if (is_poison(expr)) return std::nullopt;
      return Typed{expr, {Type::Kind::quantity, expr.quantity.unit}};
    case Expr::Kind::truth: return Typed{expr, {Type::Kind::truth, Unit::none}};
    case Expr::Kind::word: return Typed{expr, {Type::Kind::word, Unit::none}};
    case Expr::Kind::name: return name(expr);
    case Expr::Kind::finding: return finding(expr);
    case Expr::Kind::unary: return unary(expr);
    case Expr::Kind::binary: return binary(expr);
    case Expr::Kind::call: return call(expr);
    case Expr::Kind::range: return wrong(expr.span, "a range can follow only 'within'");
  }
  return std::nullopt;
}

std::optional<Typed> Names::resolve(const Expr& expr, Allow allow, Problems& problems) const {
  return Pass(*this, allow, problems).visit(expr);
}

std::optional<Value> Names::constant(const Expr& expr, Problems& problems) const {
  const auto typed = resolve(expr, {}, problems);
  if (!typed) return std::nullopt;
  const auto value =
      evaluate(typed->expr, [this](std::string_view name) { return parameter(name); });
  if (value) return *value;
  problems.add(value.error().span, value.error().message);
  return std::nullopt;
}

}  // namespace gpx
