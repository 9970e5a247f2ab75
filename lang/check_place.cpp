// What a measure asks of an SM and of a place: the split between L1 and shared memory, the width of
// its banks, the caches of its loads, which SM runs it, and what runs beside it.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/observe.h"

namespace gpx {
namespace {

constexpr std::size_t max_companions = 64;

void check_bank_width(CheckContext& context) {
  const auto* node = clause<ast::BankWidth>(context, "'bank_width'");
  if (!node) return;
  auto width = checked_number(context, node->value, rules::bank_width);
  if (!width) return;
  const Experiment& e = context.experiment;
  bool good = true;
  for_each_point(e.sweep, {&*width}, [&](const std::vector<Value>& point) {
    const double bytes = number_at(*width, e.scope(point));
    if (bytes == 4 || bytes == 8) return true;
    context.problems.add(node->value.span, fmt::format("the bank width is {}: it must be 4B or 8B",
                                                       to_string(Quantity{bytes, Unit::byte})));
    return good = false;
  });
  if (good) context.measure().bank_width = std::move(*width);
}

/// Bytes, or percent as a plain number.
void check_carveout(CheckContext& context) {
  const auto* node = clause<ast::Carveout>(context, "'carveout'");
  if (!node) return;
  const auto typed = context.names.resolve(node->value, {true, false}, context.problems);
  if (!typed) return;
  const bool percent = typed->type == Type{Type::Kind::quantity, Unit::none};
  const NumberRule& rule = percent ? rules::carveout_percent : rules::carveout;
  if (auto amount = checked_number(context, node->value, rule))
    context.measure().carveout = std::move(*amount);
}

/// Every load of global memory that names no cache operator of its own.
void set_cache(const Experiment& experiment, std::vector<Statement>& body, CacheOp cache) {
  const auto is_global = [&](const std::string& name) {
    return std::any_of(experiment.arrays.begin(), experiment.arrays.end(), [&](const Array& array) {
      return array.name == name && is_global_memory(array.space);
    });
  };
  for (Statement& one : body) {
    if (auto* access = std::get_if<Access>(&one.node)) {
      const bool load =
          access->kind == Access::Kind::load && is_global_memory(access->space) && !access->async;
      if (load && access->cache == CacheOp::unspecified && access->by.cache.empty())
        access->cache = cache;
    } else if (auto* chase = std::get_if<Chase>(&one.node)) {
      if (chase->cache == CacheOp::unspecified && !chase->cache_axis && is_global(chase->array))
        chase->cache = cache;
    } else if (auto* when = std::get_if<When>(&one.node)) {
      set_cache(experiment, when->then, cache);
      set_cache(experiment, when->otherwise, cache);
    } else if (auto* loop = std::get_if<While>(&one.node)) {
      set_cache(experiment, loop->body, cache);
    } else if (auto* diverge = std::get_if<Diverge>(&one.node)) {
      set_cache(experiment, diverge->body, cache);
    }
  }
}

bool check_companion_body(CheckContext& context, const Companion& companion) {
  for (const Statement& one : companion.body) {
    if (std::holds_alternative<Chase>(one.node) || std::holds_alternative<Operate>(one.node) ||
        std::holds_alternative<Code>(one.node))
      continue;
    context.problems.add(one.span, "a co-runner cannot do this",
                         "it can load an array's links, run operations and code");
    return false;
  }
  if (!companion.body.empty()) return true;
  context.problems.add(companion.span, "nothing runs here", "such as beside sm 1 { code 8KB }");
  return false;
}

std::optional<Expr> check_condition(CheckContext& context, const Expr& written) {
  auto typed = context.names.resolve(written, {true, false}, context.problems);
  if (!typed) return std::nullopt;
  if (typed->type.kind == Type::Kind::truth) return std::move(typed->expr);
  context.problems.add(written.span,
                       fmt::format("'if' needs a condition, this is {}", phrase(typed->type)));
  return std::nullopt;
}

void check_companion(CheckContext& context, const ast::Statement& statement,
                     const ast::Beside& beside) {
  Companion made;
  made.span = statement.span;
  auto sm = checked_number(context, beside.sm, rules::sm);
  bool good = sm.has_value();
  if (beside.condition) {
    made.condition = check_condition(context, *beside.condition);
    good = good && made.condition;
  }
  auto body = read_body(context, beside.body);
  if (!body || context.block.broken) return;
  made.body = std::move(*body);
  if (!check_companion_body(context, made) || !good) return;
  made.sm = std::move(*sm);
  context.measure().companions.push_back(std::move(made));
}

/// Which block it is that is placed, and what can be seen of it.
void check_placed(CheckContext& context, Span place) {
  const Measure& m = context.measure();
  const Experiment& e = context.experiment;
  for_each_point(e.sweep, {&m.blocks}, [&](const std::vector<Value>& point) {
    if (number_at(m.blocks, e.scope(point)) == 1) return true;
    context.problems.add(place, "one block is placed: 'blocks' must be 1 here");
    return false;
  });
  if (!traits_of(m.observe).clocked)
    context.problems.add(place, "the time of a grid does not show that of the placed block",
                         "observe " + observation_names(true));
}

/// The SM of `place`, or the axis of all.
std::optional<Expr> check_sm(CheckContext& context, const ast::Place& place) {
  if (!is_every_sm(place.sm, context.names)) return checked_number(context, place.sm, rules::sm);
  const auto own = context.written
                       ? statements_of<ast::Place>(context.written->statements)
                       : std::vector<std::pair<const ast::Statement*, const ast::Place*>>();
  if (!own.empty()) {
    context.problems.add(place.sm.span, "'place sm all' is an axis of all measures",
                         "write it outside of the measure");
    return std::nullopt;
  }
  if (context.measure().observe == Observe::timeline) {
    context.problems.add(place.sm.span, "a timeline has a column sm of its own",
                         "'place sm N' with an axis N of your own");
    return std::nullopt;
  }
  Expr axis = place.sm;
  axis.text = kSmAxis;
  return checked_number(context, axis, rules::sm);
}

void check_beside(CheckContext& context) {
  const auto own = context.written
                       ? statements_of<ast::Beside>(context.written->statements)
                       : std::vector<std::pair<const ast::Statement*, const ast::Beside*>>();
  const auto all = own.empty() ? statements_of<ast::Beside>(context.block.statements) : own;
  if (all.size() > max_companions)
    context.problems.add(
        all[max_companions].first->span,
        fmt::format("{} co-runners: at most {} can be placed", all.size(), max_companions));
  for (const auto& [statement, beside] : all) check_companion(context, *statement, *beside);
  const auto* place = clause<ast::Place>(context, "'place'");
  Measure& m = context.measure();
  if (place) m.place = check_sm(context, *place);
  if (!place && !all.empty()) m.place = Expr::number(0);
  if (m.place && m.cluster)
    context.problems.add(m.cluster->span, "a block that is placed is in no cluster");
  if (place || !all.empty()) check_placed(context, place ? place->sm.span : all[0].first->keyword);
}

}  // namespace

void check_place(CheckContext& context) {
  check_bank_width(context);
  check_carveout(context);
  check_beside(context);
  const auto* node = clause<ast::L1Cache>(context, "'l1_cache'");
  if (!node) return;
  const std::string& state = node->state.text;
  if (state != "on" && state != "off")
    return context.problems.add(node->state.span, fmt::format("l1_cache is '{}'", state),
                                "write 'on' or 'off'");
  Measure& m = context.measure();
  const CacheOp cache = state == "on" ? CacheOp::ca : CacheOp::cg;
  set_cache(context.experiment, m.body, cache);
  for (Companion& companion : m.companions) set_cache(context.experiment, companion.body, cache);
}

}  // namespace gpx
