// Measures: which region is timed under which clauses, and whether the two fit together.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <set>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/observe.h"
#include "lang/statements.h"

namespace gpx {
namespace {

using Regions = std::vector<std::pair<const ast::Statement*, const ast::Region*>>;

/// The `each` of a load that asks for `observe each`, also inside of blocks.
const ast::Ident* find_each(const ast::Body& body) {
  for (const ast::Timed& one : body.statements) {
    const ast::Ident* found = nullptr;
    if (const auto* access = std::get_if<ast::Access>(&one.node))
      found = access->each ? &*access->each : nullptr;
    else if (const auto* loop = std::get_if<ast::While>(&one.node))
      found = find_each(loop->body);
    else if (const auto* diverge = std::get_if<ast::Diverge>(&one.node))
      found = find_each(diverge->body);
    else if (const auto* when = std::get_if<ast::When>(&one.node)) {
      found = find_each(when->then);
      if (!found && when->otherwise) found = find_each(*when->otherwise);
    }
    if (found) return found;
  }
  return nullptr;
}

void apply_each(CheckContext& context, const ast::Region& region) {
  const ast::Ident* each = find_each(region.body);
  if (!each) return;
  Measure& measure = context.measure();
  const Observe wanted = *observe_of(each->text);
  if (clause<ast::Observe>(context, "'observe'") && measure.observe != wanted)
    context.problems.add(each->span,
                         fmt::format("'each' observes each access, but the clause is 'observe {}'",
                                     to_string(measure.observe)));
  measure.observe = wanted;
}

/// The time of a launch holds all of it: passes that warm the caches are told apart by a clock
/// only.
void check_rehearse(CheckContext& context) {
  Measure& measure = context.measure();
  const ObserveTraits& traits = traits_of(measure.observe);
  measure.rehearse = Expr::number(traits.clocked && is_only_operations(measure.body) ? 1 : 0);
  const auto* node = clause<ast::Rehearse>(context, "'rehearse'");
  if (!node) return;
  if (auto expr = checked_number(context, node->value, rules::rehearse))
    measure.rehearse = std::move(*expr);
  if (traits.clocked || !ever_rehearses(context.experiment, measure)) return;
  context.problems.add(
      node->value.span,
      fmt::format("'observe {}' is of whole launches: no pass of 'rehearse' can be left out of it",
                  traits.name),
      measure.run() ? "'warmup N' launches the kernel N times before: L2 is warm then"
                    : "'observe latency' times the last pass alone; 'warmup N' launches N times "
                      "before, which leaves L2 warm, and no L1");
}

/// What is observed must be there to be observed, and the other way round.
void check_observed(CheckContext& context, Span region) {
  const Measure& m = context.measure();
  const ObserveTraits& traits = traits_of(m.observe);
  if (traits.needs && !traits.needs->met(m))
    context.problems.add(region, fmt::format("'observe {}' {}", traits.name, traits.needs->what),
                         traits.needs->hint);
  if (m.observe == Observe::energy && (m.watchdog || m.flush))
    context.problems.add(region, "energy is that of launches in a row, each of which ends",
                         "without watchdog and flush");
  for_each_statement(m.body, [&](const Statement& one) {
    if (std::holds_alternative<Stamp>(one.node) && !traits.has_key(Extent::stamps))
      context.problems.add(one.span, "a stamp is seen only where a timeline is observed",
                           "write 'observe timeline'");
    if (std::holds_alternative<While>(one.node) && !m.watchdog)
      context.problems.add(one.span, "a region with 'while' may never end: it needs a watchdog",
                           "such as watchdog 10ms");
  });
}

void check_region(CheckContext& context, const ast::Statement& statement) {
  const auto& region = std::get<ast::Region>(statement.node);
  apply_each(context, region);
  check_run(context, region);
  const bool good = check_body(context, statement);
  check_place(context);
  check_rehearse(context);
  check_offset(context, good && !context.block.broken);
  if (!good || context.block.broken) return;
  if (region.body.statements.empty() && !traits_of(context.measure().observe).of_nothing)
    context.problems.add(statement.span,
                         "the region is empty: only its latency and its time can be observed",
                         "such as < load unique(128B) >");
  else
    check_observed(context, statement.span);
}

/// The one region; `what` and `place` say where it is missed.
void check_regions(CheckContext& context, const Regions& regions, std::string_view what,
                   Span place) {
  if (regions.empty()) {
    const bool kernel = std::ranges::any_of(context.block.statements, [](const auto& statement) {
      return std::holds_alternative<ast::Kernel>(statement.node);
    });
    if (!context.block.broken)
      context.problems.add(place,
                           fmt::format("this {} times nothing: it needs a region < ... >", what),
                           kernel ? "a kernel and its region belong to one experiment: experiment "
                                    "NAME { kernel ... < run NAME > }"
                                  : "such as < load unique(128B) >");
    return;
  }
  for (std::size_t i = 1; i < regions.size(); ++i)
    context.problems.add(regions[i].first->keyword,
                         what == "measure" ? "a second region < ... >: a measure times one"
                                           : "a second region < ... >: an experiment times one");
  check_region(context, *regions[0].first);
}

void check_named(CheckContext& context, const ast::Statement& statement, const ast::Measure& node) {
  Measure& measure = context.experiment.measures.emplace_back();
  measure.name = node.name.text;
  measure.span = statement.span;
  Names names = context.names;
  CheckContext inner{context.block, context.problems, context.overrides, context.experiment, names,
                     &node};
  check_launch(inner);
  check_regions(inner, statements_of<ast::Region>(node.statements), "measure", node.name.span);
}

void check_only(CheckContext& context, const Regions& regions) {
  const ast::Block& block = context.block;
  context.measure().span = block.span;
  check_launch(context);
  check_arrays(context);
  check_kernels(context);
  check_regions(context, regions, block.is_line ? "line" : "experiment",
                block.is_line ? block.span : block.name.span);
}

}  // namespace

bool ever_rehearses(const Experiment& e, const Measure& measure) {
  bool ever = false;
  for_each_point(e.sweep, {&measure.rehearse}, [&](const std::vector<Value>& point) {
    return !(ever = number_at(measure.rehearse, e.scope(point)) > 0);
  });
  return ever;
}

void check_measures(CheckContext& context) {
  const auto measures = statements_of<ast::Measure>(context.block.statements);
  const auto regions = statements_of<ast::Region>(context.block.statements);
  if (measures.empty()) return check_only(context, regions);
  for (const auto& [statement, region] : regions)
    context.problems.add(
        statement->keyword,
        "a region outside of the measures: an experiment has the one or the others",
        "give it a name: measure NAME { < ... > }");
  check_arrays(context);
  check_kernels(context);
  context.experiment.measures.clear();
  std::set<std::string> seen;
  for (const auto& [statement, node] : measures) {
    if (!seen.insert(node->name.text).second)
      context.problems.add(node->name.span,
                           fmt::format("a second measure is named '{}'", node->name.text));
    check_named(context, *statement, *node);
  }
}

}  // namespace gpx
