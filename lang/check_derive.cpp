// Columns of the samples: those that are derived, the bytes of a launch, and numbers of all points.
// Interface: check_context.h; covered by tests/lang/derive_test.cpp and the goldens.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/statements.h"
#include "lang/try.h"

namespace gpx {
namespace {

Expr multiplied(Expr left, Expr right) {
  Expr expr;
  expr.kind = Expr::Kind::binary;
  expr.op = Expr::Op::mul;
  expr.args.push_back(std::move(left));
  expr.args.push_back(std::move(right));
  return expr;
}

Expr added(Expr left, Expr right) {
  Expr expr = multiplied(std::move(left), std::move(right));
  expr.op = Expr::Op::add;
  return expr;
}

// ---- the column `bytes` ---------------------------------------------------------------------

/// Of one thread's pass through a statement; nothing where it moves none. A copy reads and writes.
std::optional<Expr> bytes_of_thread(const Experiment& experiment, const Statement& one) {
  if (const auto* access = std::get_if<Access>(&one.node)) {
    Expr bytes = multiplied(access->width, access->count);
    return access->kind == Access::Kind::copy ? multiplied(std::move(bytes), Expr::number(2))
                                              : bytes;
  }
  const auto* chase = std::get_if<Chase>(&one.node);
  if (!chase) return std::nullopt;
  const auto array = std::ranges::find(experiment.arrays, chase->array, &Array::name);
  return multiplied(array->width, chase->count);
}

/// Of a block's pass.
std::optional<Expr> bytes_of(const Experiment& experiment, const Measure& measure,
                             const Statement& one) {
  if (const auto* access = std::get_if<Access>(&one.node); access && access->is_bulk()) {
    Expr bytes = access->is_tensor() ? access->width : Expr::number(1);
    for (const Expr& side : access->pattern.args) bytes = multiplied(std::move(bytes), side);
    return multiplied(std::move(bytes), access->count);
  }
  auto bytes = bytes_of_thread(experiment, one);
  if (bytes) bytes = multiplied(std::move(*bytes), measure.threads);
  return bytes;
}

/// Whether a statement accesses the shared memory of its block. An asynchronous copy does so, too,
/// but for global memory, and `on rank` goes through the network of the cluster.
bool in_shared(const Experiment& experiment, const Statement& one) {
  if (const auto* access = std::get_if<Access>(&one.node))
    return access->space == Space::shared && !access->async && !access->rank;
  const auto* chase = std::get_if<Chase>(&one.node);
  if (!chase || chase->rank) return false;
  return std::ranges::find(experiment.arrays, chase->array, &Array::name)->space == Space::shared;
}

/// The accesses that count: where some reach beyond the block's shared memory, those alone. A rate
/// that adds what both move would be the rate of neither.
tl::expected<std::vector<const Statement*>, std::string> counted(const Experiment& experiment,
                                                                 const Measure& measure) {
  std::vector<const Statement*> beyond, shared;
  bool by_axis = false;
  for (const Statement& one : measure.body) {
    if (!bytes_of_thread(experiment, one)) continue;
    const auto* access = std::get_if<Access>(&one.node);
    by_axis = by_axis || (access && !access->by.space.empty());
    (in_shared(experiment, one) ? shared : beyond).push_back(&one);
  }
  if (by_axis && beyond.size() + shared.size() > 1)
    return tl::unexpected<std::string>(
        "the space of one of several accesses is an axis: which of them count is open");
  return beyond.empty() ? shared : beyond;
}

/// What a measure's accesses move in a launch, or why it cannot be told.
tl::expected<Expr, std::string> moved_bytes(const Experiment& experiment, const Measure& measure) {
  const ObserveTraits& traits = traits_of(measure.observe);
  if (measure.run())
    return tl::unexpected<std::string>(
        "the accesses of a kernel from a file are unknown here: write what it moves, such as "
        "12B * n / time");
  if (!traits.keys.empty() || traits.per_access)
    return tl::unexpected(fmt::format("'observe {}' is not of the whole region", traits.name));
  for (const Statement& one : measure.body)
    if (const auto* access = std::get_if<Access>(&one.node); access && !access->by.kind.empty())
      return tl::unexpected<std::string>("whether an access loads or copies is an axis");
  const auto accesses = GPX_TRY(counted(experiment, measure));
  std::optional<Expr> bytes;
  for (const Statement* one : accesses) {
    Expr more = *bytes_of(experiment, measure, *one);
    bytes = bytes ? added(std::move(*bytes), std::move(more)) : std::move(more);
  }
  bool branches = false;
  for (const Statement& outer : measure.body)
    if (!bytes_of_thread(experiment, outer))
      for_each_statement({outer}, [&](const Statement& inner) {
        branches = branches || bytes_of_thread(experiment, inner);
      });
  if (branches)
    return tl::unexpected<std::string>(
        "the number of threads that reach an access in a block is unknown");
  if (!bytes) return tl::unexpected<std::string>("the region has no access to memory");
  return multiplied(std::move(*bytes), measure.blocks);
}

/// The first place that names the column `bytes`.
std::optional<Span> names_bytes(const CheckContext& context) {
  if (context.names.axis("bytes") || context.names.parameter("bytes")) return std::nullopt;
  std::optional<Span> found;
  const auto in_expression = [&](const Expr& expr) {
    for_each_name(expr, [&](const Expr& name) {
      if (!found && base_of(name) == "bytes") found = name.span;
    });
  };
  for (const ast::Statement& one : context.block.statements) {
    if (const auto* derive = std::get_if<ast::Derive>(&one.node)) in_expression(derive->value);
    if (const auto* expect = std::get_if<ast::Expect>(&one.node)) in_expression(expect->condition);
    if (const auto* claim = std::get_if<ast::Claim>(&one.node)) in_expression(claim->condition);
    if (const auto* analyze = std::get_if<ast::Analyze>(&one.node))
      for (const ast::Argument& argument : analyze->args) in_expression(argument.value);
    if (const auto* plot = std::get_if<ast::Plot>(&one.node))
      for (const ast::Ident& y : plot->y)
        if (!found && y.text == "bytes") found = y.span;
  }
  return found;
}

void add_bytes(CheckContext& context) {
  const std::optional<Span> named = names_bytes(context);
  if (!named) return;
  std::string why;
  bool any = false;
  for (Measure& measure : context.experiment.measures) {
    auto bytes = moved_bytes(context.experiment, measure);
    if (!bytes && why.empty()) why = bytes.error();
    if (bytes) measure.bytes = std::move(*bytes);
    any |= measure.bytes.has_value();
  }
  context.names.add_column("bytes", Unit::byte);
  if (!any && !context.block.broken)
    context.problems.add(*named, "no measure here has the column 'bytes'", why);
}

// ---- the columns that expressions can name --------------------------------------------------

void add_columns(CheckContext& context) {
  for (const Measure& measure : context.experiment.measures) {
    for (const ObservedColumn& column : traits_of(measure.observe).columns)
      context.names.add_column(column.name, column.unit);
    for_each_statement(measure.body, [&](const Statement& one) {
      if (const auto* keep = std::get_if<Keep>(&one.node))
        context.names.add_column(keep->column, Unit::none);
    });
    if (!measure.run()) continue;
    for (const std::string& column : names_of(TermKind::launch_column))
      if (column != "limiter")  // A word.
        context.names.add_column(column, column == "load_bytes_per_warp" ? Unit::byte
                                         : column == "clocks"            ? Unit::clock
                                                                         : Unit::none);
  }
}

// ---- derive ---------------------------------------------------------------------------------

using Roots = std::map<std::string, std::set<std::string>, std::less<>>;

/// The names of an expression; of a derived column those that it is derived from.
std::set<std::string> roots_of(const Expr& expr, const Roots& derived) {
  std::set<std::string> roots;
  for_each_name(expr, [&](const Expr& name) {
    const auto known = derived.find(name.text);
    if (known == derived.end())
      roots.insert(name.text);
    else
      roots.insert(known->second.begin(), known->second.end());
  });
  return roots;
}

/// Clocks are those of the slowest block, bytes those of all blocks, which need not run at once.
void check_blocks(CheckContext& context, const ast::Derive& node,
                  const std::set<std::string>& roots) {
  if (roots.count("bytes") == 0 || roots.count("blocks") > 0) return;
  const Experiment& e = context.experiment;
  for (const Measure& measure : e.measures) {
    const ObserveTraits& traits = traits_of(measure.observe);
    const std::string column = traits.columns.front().name;
    if (!measure.bytes || !traits.clocked || roots.count(column) == 0) continue;
    for_each_point(e.sweep, {&measure.blocks}, [&](const std::vector<Value>& point) {
      const double blocks = number_at(measure.blocks, e.scope(point));
      if (blocks == 1) return true;
      context.problems.add(
          node.value.span,
          fmt::format("'{}' is of the slowest block, 'bytes' of all {} blocks: they need not run "
                      "at once",
                      column, blocks),
          "'observe time' is of the whole grid; bytes / blocks is what one block moves");
      return false;
    });
  }
}

/// As a measure has it: `threads` and `blocks` stand for its own.
Names names_for(const CheckContext& context, const Measure& measure) {
  Names names = context.names;
  const auto stand_for = [&](const char* name, const Expr& all) {
    if (names.axis(name) || names.is_poisoned(name)) return;
    names.set_builtin(name, {all, {Type::Kind::quantity}});
  };
  stand_for("threads",
            extents_product(measure.threads, measure.threads_down, measure.threads_deep));
  stand_for("blocks", extents_product(measure.blocks, measure.blocks_down, measure.blocks_deep));
  return names;
}

/// What turns bytes into KB, MB, GB, or a rate into those of a second.
bool is_multiple(const Expr& expr) {
  if (expr.kind != Expr::Kind::quantity) return false;
  const double value = expr.quantity.value;
  for (int power = 1; power <= 4; ++power)
    if (value == std::pow(1000.0, power) || value == std::pow(1024.0, power)) return true;
  return false;
}

/// The divisor of a chain of products and quotients that scales it, with the unit; nullptr: none.
const Expr* scale_of(const Expr& expr, Unit unit) {
  if (expr.kind != Expr::Kind::binary || (expr.op != Expr::Op::mul && expr.op != Expr::Op::div))
    return nullptr;
  const Expr& right = expr.args[1];
  if (expr.op == Expr::Op::div && is_multiple(right) && right.quantity.unit == unit) return &right;
  return scale_of(expr.args[0], unit);
}

/// `bytes / time / 1e9` is a billionth of the rate, still in B/s.
void warn_of_scaled_rate(CheckContext& context, const ast::Derive& node, Unit unit) {
  const Expr* scale = unit == Unit::byte_per_second ? scale_of(node.value, Unit::none)
                      : unit == Unit::per_second    ? scale_of(node.value, Unit::byte)
                                                    : nullptr;
  if (!scale) return;
  context.experiment.warnings.push_back(
      {fmt::format(
           "'{}' is in {}, and divided by {}: a rate is shown in KB/s, MB/s or GB/s as it is",
           node.name.text, unit_symbol(unit), to_string(*scale)),
       context.problems.source().locate(scale->span),
       "bytes / time is the rate, bytes / time / (1GB/s) a plain number of GB/s"});
}

bool check_derive(CheckContext& context, const ast::Derive& node) {
  Derived derived{node.name.text, Unit::none, to_string(node.value)};
  std::vector<Expr> values;
  for (const Measure& measure : context.experiment.measures) {
    auto typed = names_for(context, measure)
                     .resolve(node.value, {.axes = true, .columns = true}, context.problems);
    if (!typed) return false;
    if (typed->type.kind != Type::Kind::quantity) {
      context.problems.add(node.value.span,
                           fmt::format("derive needs a number, this is {}", phrase(typed->type)),
                           "such as derive bandwidth = bytes / time");
      return false;
    }
    derived.unit = typed->type.unit;
    values.push_back(std::move(typed->expr));
  }
  for (std::size_t m = 0; m < values.size(); ++m)
    context.experiment.measures[m].derived.push_back(std::move(values[m]));
  warn_of_scaled_rate(context, node, derived.unit);
  context.names.add_column(derived.name, derived.unit);
  context.experiment.derived.push_back(std::move(derived));
  return true;
}

// ---- numbers of all points ------------------------------------------------------------------

std::optional<SampleValue::How> how_of(std::string_view function) {
  using How = SampleValue::How;
  if (function == "min") return How::min;
  if (function == "max") return How::max;
  if (function == "mean") return How::mean;
  return function == "median" ? std::optional(How::median) : std::nullopt;
}

bool has_column(const Experiment& experiment, const Measure& measure, const std::string& column) {
  const auto derived = std::ranges::find(experiment.derived, column, &Derived::name);
  if (derived != experiment.derived.end()) {
    const auto at = static_cast<std::size_t>(derived - experiment.derived.begin());
    bool all = true;
    for_each_name(measure.derived[at], [&](const Expr& name) {
      const bool varies = std::ranges::any_of(
          experiment.sweep.axes(), [&](const Axis* axis) { return axis->name == name.text; });
      if (!varies && experiment.parameters.count(name.text) == 0)
        all = all && has_column(experiment, measure, name.text);
    });
    return all;
  }
  if (column == "bytes") return measure.bytes.has_value();
  bool found = std::ranges::any_of(traits_of(measure.observe).columns,
                                   [&](const ObservedColumn& one) { return one.name == column; });
  for_each_statement(measure.body, [&](const Statement& one) {
    const auto* keep = std::get_if<Keep>(&one.node);
    found = found || (keep && keep->column == column);
  });
  if (found || !measure.run()) return found;
  const auto launch = names_of(TermKind::launch_column);
  return contains(launch, column);
}

bool check_key(CheckContext& context, Span span, const std::string& key, const Value& value) {
  const auto wrong = [&](std::string message, std::string hint = {}) {
    context.problems.add(span, std::move(message), std::move(hint));
    return false;
  };
  if (const Axis* axis = context.names.axis(key)) {
    const Type wanted = type_of(axis->values.front()), found = type_of(value);
    if (wanted == found) return true;
    return wrong(
        fmt::format("the axis '{}' takes {}, this is {}", key, phrase(wanted), phrase(found)));
  }
  std::vector<std::string> known = context.names.axis_names();
  std::vector<std::string> measures;
  for (const Measure& measure : context.experiment.measures) {
    if (!measure.name.empty()) measures.push_back(measure.name);
    for (const ObservedKey& each : traits_of(measure.observe).keys) known.emplace_back(each.name);
  }
  if (!measures.empty()) known.emplace_back("measure");
  if (key == "measure" && !measures.empty()) {
    const auto* word = std::get_if<std::string>(&value);
    if (word && contains(measures, *word)) return true;
    return wrong(fmt::format("no measure is named '{}'", to_string(value)),
                 fmt::format("the measures are {}", fmt::join(measures, ", ")));
  }
  if (contains(known, key)) return true;
  if (key.empty()) return wrong("keys select points by their axes", "such as max(latency[n=2])");
  return wrong(fmt::format("no axis is named '{}'", key),
               known.empty() ? "nothing varies here" : suggest(key, known, "keys"));
}

void check_sample_value(CheckContext& context, const Expr& named) {
  const Expr& reference = named.args[0];
  SampleValue value{named.text, *how_of(named.text.substr(0, named.text.find('('))),
                    std::string(base_of(reference)), reference.keys};
  bool told = false;
  for (const auto& [key, at] : value.keys) {
    if (!check_key(context, reference.span, key, at)) return;
    told = told || key == "measure";
  }
  std::vector<std::string> measures;
  for (const Measure& measure : context.experiment.measures)
    if (has_column(context.experiment, measure, value.column)) measures.push_back(measure.name);
  if (!told && measures.size() > 1)
    return context.problems.add(
        reference.span,
        fmt::format("'{}' is a column of several measures: {}", value.column,
                    fmt::join(measures, ", ")),
        fmt::format("choose one: {}[measure={}]", value.column, measures.front()));
  auto& all = context.experiment.sample_values;
  if (!contains(all, value.name, &SampleValue::name)) all.push_back(std::move(value));
}

}  // namespace

void check_derived_names(CheckContext& context) {
  std::set<std::string> seen;
  for (const auto& [statement, node] : statements_of<ast::Derive>(context.block.statements)) {
    if (node->name.text == "bytes") {
      context.problems.add(node->name.span, "'bytes' is the name of an observed column",
                           "choose another name");
      continue;
    }
    if (!check_free(node->name, context.names, context.problems)) {
      context.names.poison(node->name.text);  // What names it is no further mistake.
      continue;
    }
    if (!seen.insert(node->name.text).second)
      context.problems.add(node->name.span,
                           fmt::format("a second derived column '{}'", node->name.text));
    context.names.add_derived(node->name.text);
  }
}

void check_derived(CheckContext& context) {
  add_columns(context);
  add_bytes(context);
  Roots roots;
  for (const auto& [statement, node] : statements_of<ast::Derive>(context.block.statements)) {
    const std::string& name = node->name.text;
    if (!context.names.is_derived(name)) continue;
    if (context.names.columns().count(name) > 0) {
      context.problems.add(node->name.span, fmt::format("'{}' is already a column", name));
      continue;
    }
    const std::set<std::string> from = roots_of(node->value, roots);
    if (check_derive(context, *node))
      check_blocks(context, *node, from);
    else
      context.names.poison(name);
    roots[name] = from;
  }
}

void check_sample_values(CheckContext& context, const Expr& condition) {
  if (condition.kind == Expr::Kind::finding && !condition.args.empty())
    return check_sample_value(context, condition);
  for (const Expr& arg : condition.args) check_sample_values(context, arg);
}

}  // namespace gpx
