// Parameters and axes: what an experiment varies, with every value that it takes.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/build.h"
#include "lang/check_context.h"
#include "lang/ranges.h"

namespace gpx {
namespace {

constexpr double max_values = 1'000'000;   ///< Of one axis.
constexpr double max_points = 10'000'000;  ///< Of a whole sweep.
constexpr std::size_t max_axes = 100;      ///< More have over 10^30 points, unless of one value.

/// A name or a dotted word in a list that names no parameter is a word.
bool is_bare_word(const Expr& expr, const Names& names) {
  if (expr.kind == Expr::Kind::finding) return expr.text.find('[') == std::string::npos;
  return expr.kind == Expr::Kind::name && !names.parameter(expr.text) &&
         !names.is_poisoned(expr.text);
}

/// Of integers beyond 2^53 that count up: exactly. Empty: doubles hold all values of the range.
std::vector<Value> exact_values(const Quantity& low, const Quantity& high, const Range& range,
                                Unit unit) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto first = integer_of(low), last = integer_of(high);
  const auto step = integer_of({range.step, Unit::none});
  const bool large = std::max(std::abs(low.value), std::abs(high.value)) > kExact;
  if (range.geometric || !large || !first || !last || !step) return {};
  std::vector<Value> values;
  for (Int128 value = *first; value <= *last; value += *step)
    values.emplace_back(quantity_of(value, unit));
  return values;
}

class AxisReader {
 public:
  AxisReader(const Names& names, Problems& problems) : names_(names), problems_(problems) {}

  std::optional<Axis> read(const ast::Axis& from) {
    Axis axis;
    axis.name = from.name.text;
    axis.span = {from.name.span.begin, from.values_span.end};
    const bool good = from.is_list ? list(from, axis) : range(from, axis);
    if (!good || axis.values.empty()) return std::nullopt;
    return axis;
  }

 private:
  bool wrong(Span span, std::string message, std::string hint = {}) {
    problems_.add(span, std::move(message), std::move(hint));
    return false;
  }

  bool list(const ast::Axis& from, Axis& axis) {
    if (from.list.empty()) return wrong(from.values_span, "the list is empty");
    bool good = true;
    for (const Expr& item : from.list) {
      const auto value = is_bare_word(item, names_) ? std::optional<Value>(item.text)
                                                    : names_.constant(item, problems_);
      good = good && value;
      if (!value) continue;
      if (std::holds_alternative<bool>(*value))
        good = wrong(item.span, "an axis takes numbers or words, not truth values");
      else if (!axis.values.empty() && type_of(*value) != type_of(axis.values[0]))
        good =
            wrong(item.span, fmt::format("this is {}, but the axis began with {}",
                                         phrase(type_of(*value)), phrase(type_of(axis.values[0]))));
      axis.values.push_back(*value);
    }
    if (good) axis.unit = type_of(axis.values[0]).unit;
    return good;
  }

  std::optional<Quantity> quantity(const Expr& expr) {
    const auto value = names_.constant(expr, problems_);
    if (!value) return std::nullopt;
    if (const auto* q = std::get_if<Quantity>(&*value)) return *q;
    wrong(expr.span, fmt::format("a range needs numbers, this is {}", phrase(type_of(*value))));
    return std::nullopt;
  }

  bool step(const ast::Axis& from, Unit unit, Range& range) {
    if (!from.step) {
      if (unit == Unit::none) return true;
      return wrong(from.values_span, fmt::format("a range of {} needs a step", unit_phrase(unit)),
                   fmt::format("such as 'step 1{}' or 'step x2'", unit_symbol(unit)));
    }
    const auto q = quantity(*from.step);
    if (!q) return false;
    range.geometric = from.geometric;
    range.step = q->value;
    const Unit wanted = from.geometric ? Unit::none : unit;
    if (q->unit != wanted)
      return wrong(
          from.step->span,
          fmt::format("the step is {}, but must be {}", unit_phrase(q->unit), unit_phrase(wanted)),
          unit_hint(*from.step, wanted));
    const double least = from.geometric ? 1 : 0;
    if (q->value > least) return true;
    return wrong(from.step->span,
                 fmt::format("the {} is {}, but must be above {}",
                             from.geometric ? "factor" : "step", to_string(*q), least));
  }

  bool range(const ast::Axis& from, Axis& axis) {
    const auto low = quantity(from.from), high = quantity(from.to);
    if (!low || !high) return false;
    if (low->unit != high->unit) {
      const bool first = low->unit == Unit::none;
      return wrong(first ? from.from.span : from.to.span,
                   fmt::format("the range begins with {} and ends with {}", unit_phrase(low->unit),
                               unit_phrase(high->unit)),
                   unit_hint(first ? from.from : from.to, first ? high->unit : low->unit));
    }
    Range range{low->value, high->value, 1, false};
    if (!step(from, low->unit, range)) return false;
    if (range.to < range.from)
      return wrong(from.values_span, fmt::format("the range is empty: {} is above {}",
                                                 to_string(*low), to_string(*high)));
    if (range.geometric && range.from <= 0)
      return wrong(from.from.span, "a range with a factor must begin above 0");
    const double size = range_size(range);
    if (size > max_values)
      return wrong(from.values_span,
                   fmt::format("this range has {:.0f} values: an axis may have at most {:.0f}",
                               size, max_values));
    axis.values = exact_values(*low, *high, range, low->unit);
    if (axis.values.empty()) axis.values = range_values(range, low->unit);
    axis.unit = low->unit;
    return true;
  }

  const Names& names_;
  Problems& problems_;
};

/// The axis as `--set` gives it, if it does and the values are of the same kind.
std::optional<Axis> overridden(CheckContext& context, const Axis& axis) {
  Override* replacement = context.overrides.find(axis.name);
  if (!replacement) return axis;
  ast::Axis from = replacement->value;
  from.name = {axis.name, {}};
  auto read = AxisReader(context.names, replacement->problems).read(from);
  if (!read) return std::nullopt;
  const Type was = type_of(axis.values[0]), is = type_of(read->values[0]);
  if (was != is) {
    replacement->problems.add(
        from.values_span,
        fmt::format("'{}' takes {}, this is {}", axis.name, phrase(was), phrase(is)),
        from.list.empty() ? "" : unit_hint(from.list[0], was.unit));
    return std::nullopt;
  }
  read->span = axis.span;
  return read;
}

/// `threads` and `blocks` are counts.
bool check_counts(CheckContext& context, const Axis& axis) {
  if (axis.name != "threads" && axis.name != "blocks") return true;
  for (const Value& value : axis.values) {
    const auto* q = std::get_if<Quantity>(&value);
    const bool good = q && q->unit == Unit::none && q->value >= 1 && q->value <= max_count &&
                      q->value == std::floor(q->value);
    if (good) continue;
    context.problems.add(axis.span, fmt::format("{} takes the value {}: it must be a whole number, "
                                                "at least 1",
                                                axis.name, to_string(value)));
    return false;
  }
  return true;
}

std::optional<Axis> read_axis(CheckContext& context, const ast::Axis& from, const Names& before) {
  if (!check_free(from.name, before, context.problems)) return std::nullopt;
  auto axis = AxisReader(before, context.problems).read(from);
  if (axis) axis = overridden(context, *axis);
  if (axis && !check_counts(context, *axis)) return std::nullopt;
  return axis;
}

bool check_zip(CheckContext& context, const ast::AxisGroup& from, const std::vector<Axis>& group) {
  for (const Axis& axis : group) {
    if (axis.values.size() == group[0].values.size()) continue;
    context.problems.add(from.span, fmt::format("zip needs axes of one length: {} has {} values, "
                                                "{} has {}",
                                                group[0].name, group[0].values.size(), axis.name,
                                                axis.values.size()));
    return false;
  }
  return true;
}

void add_group(CheckContext& context, const ast::AxisGroup& from) {
  Sweep& sweep = context.experiment.sweep;
  sweep.groups.emplace_back();  // Filled axis by axis, so that a second axis of one name is seen.
  bool good = true;
  for (const ast::Axis& node : from.axes) {
    auto axis = read_axis(context, node, context.names);
    good = good && axis;
    if (axis)
      sweep.groups.back().push_back(std::move(*axis));
    else
      context.names.poison(node.name.text);
  }
  if (good && check_zip(context, from, sweep.groups.back())) return;
  for (const ast::Axis& node : from.axes) context.names.poison(node.name.text);
  sweep.groups.pop_back();
}

/// `place sm all` is an axis, the innermost.
void add_sms(CheckContext& context) {
  for (const auto& [statement, place] : statements_of<ast::Place>(context.block.statements)) {
    if (!is_every_sm(place->sm, context.names)) continue;
    Axis axis{std::string(kSmAxis), {Quantity{0, Unit::none}}, Unit::none, place->sm.span, true};
    const auto taken = overridden(context, axis);
    if (taken) return context.experiment.sweep.groups.push_back({*taken});
    return context.names.poison(axis.name);
  }
}

/// Each axis is looked up among all others, at every use of a name.
bool check_number_of_axes(CheckContext& context) {
  std::size_t count = 0;
  for (const auto& [statement, sweep] : statements_of<ast::Sweep>(context.block.statements))
    for (const ast::AxisGroup& group : sweep->groups)
      for (const ast::Axis& axis : group.axes) {
        if (++count <= max_axes) continue;
        context.names.tolerate_unknown();
        context.problems.add(
            axis.name.span,
            fmt::format("an experiment has at most {} axes, this is another one", max_axes));
        return false;
      }
  return true;
}

bool check_points(CheckContext& context, Span span) {
  double points = 1;
  for (const auto& group : context.experiment.sweep.groups)
    points *= static_cast<double>(group.front().values.size());
  if (points <= max_points) return true;
  context.problems.add(span, fmt::format("this sweep has {:.0f} points: at most {:.0f} can be run",
                                         points, max_points));
  return false;
}

/// The parameter's value as `--set` gives it, if it does and the value is of the same kind.
std::optional<Value> overridden(const std::string& name, const Value& value, const Names& names,
                                Overrides& overrides) {
  Override* replacement = overrides.find(name);
  if (!replacement) return value;
  const Span place = replacement->value.values_span;
  if (!replacement->is_single) {
    replacement->problems.add(place, fmt::format("'{}' is a parameter: it takes one value", name));
    return std::nullopt;
  }
  const Expr& item = replacement->value.list[0];
  const bool word = std::holds_alternative<std::string>(value) && is_bare_word(item, names);
  const auto set =
      word ? std::optional<Value>(item.text) : names.constant(item, replacement->problems);
  if (!set || type_of(*set) == type_of(value)) return set;
  replacement->problems.add(
      place,
      fmt::format("'{}' is {}, this is {}", name, phrase(type_of(value)), phrase(type_of(*set))),
      unit_hint(item, type_of(value).unit));
  return std::nullopt;
}

}  // namespace

const ast::Axis* written_axis(const CheckContext& context, const std::string& name) {
  for (const auto& [statement, sweep] : statements_of<ast::Sweep>(context.block.statements))
    for (const ast::AxisGroup& group : sweep->groups)
      for (const ast::Axis& axis : group.axes)
        if (axis.name.text == name) return &axis;
  return nullptr;
}

bool is_every_sm(const Expr& sm, const Names& names) {
  return sm.kind == Expr::Kind::name && sm.text == "all" && !names.axis(sm.text) &&
         !names.parameter(sm.text);
}

bool check_free(const ast::Ident& name, const Names& names, Problems& problems) {
  if (is_column(name.text) || name.text == "stamp")
    problems.add(name.span, fmt::format("'{}' is the name of an observed column", name.text),
                 "choose another name");
  else if (is_thread_name(name.text))
    problems.add(name.span, fmt::format("'{}' is built in", name.text), "choose another name");
  else if (names.parameter(name.text))
    problems.add(name.span, fmt::format("'{}' is already a parameter", name.text));
  else if (names.axis(name.text))
    problems.add(name.span, fmt::format("'{}' is already an axis", name.text));
  else
    return true;
  return false;
}

void check_parameter(const ast::Statement& statement, Names& names, Overrides& overrides,
                     Problems& problems) {
  const auto& param = std::get<ast::Param>(statement.node);
  const std::string& name = param.name.text;
  if (name == "threads" || name == "blocks") {
    problems.add(param.name.span, fmt::format("'{}' is built in", name),
                 fmt::format("write '{} {}'", name, to_string(param.value)));
    return;
  }
  if (!check_free(param.name, names, problems)) return;
  auto value = names.constant(param.value, problems);
  if (value) value = overridden(name, *value, names, overrides);
  if (value)
    names.add_parameter(name, *value);
  else
    names.poison(name);
}

void warn_of_unused(CheckContext& context) {
  if (context.block.broken || context.block.names_broken) return;
  const auto used = [&](const Axis& axis) { return context.names.is_used(axis.name); };
  for (const auto& group : context.experiment.sweep.groups) {
    if (std::ranges::any_of(group, used)) continue;  // The others name its values.
    const Axis& axis = group.front();
    context.experiment.warnings.push_back(
        {fmt::format("nothing that runs depends on the axis '{}': its {} measure the same thing",
                     axis.name, plural(axis.values.size(), "value")),
         context.problems.source().locate(axis.span), "'repeat N' measures a point N times"});
  }
}

void check_sweep(CheckContext& context) {
  context.names.set_sweep(context.experiment.sweep);
  if (!check_number_of_axes(context)) return;
  for (const auto& [statement, sweep] : statements_of<ast::Sweep>(context.block.statements)) {
    for (const ast::AxisGroup& group : sweep->groups) add_group(context, group);
    if (check_points(context, statement->span)) continue;
    for (const std::string& name : context.names.axis_names()) context.names.poison(name);
    context.experiment.sweep.groups.clear();
  }
  add_sms(context);
}

}  // namespace gpx
