// `offset`: where the patterns of global memory begin, and whether every access is aligned there.
// Interface: check_context.h; covered by the goldens (offset.gpx, bad-offset.gpx).
#include <fmt/format.h>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/statements.h"

namespace gpx {
namespace {

bool ever_moves(const Experiment& e, const Expr& offset) {
  bool ever = false;
  for_each_point(e.sweep, {&offset}, [&](const std::vector<Value>& point) {
    return !(ever = number_at(offset, e.scope(point)) > 0);
  });
  return ever;
}

bool ever_in_global(const Experiment& e, const Access& access) {
  bool ever = false;
  const Expr space = Expr::name_of(access.by.space);
  for_each_point(e.sweep, {&space}, [&](const std::vector<Value>& point) {
    const Space now = access.by.any() ? resolved(access, e.scope(point)).space : access.space;
    return !(ever = is_global_memory(now));
  });
  return ever;
}

/// At the points where the access lies in global memory.
void check_aligned(CheckContext& context, const Expr& written, const Access& access) {
  const Experiment& e = context.experiment;
  const Expr& offset = context.measure().offset;
  const Expr kind = Expr::name_of(access.by.kind), space = Expr::name_of(access.by.space);
  for_each_point(
      e.sweep, {&offset, &access.width, &kind, &space}, [&](const std::vector<Value>& point) {
        const Scope scope = e.scope(point);
        const Access now = access.by.any() ? resolved(access, scope) : access;
        if (!is_global_memory(now.space)) return true;
        const std::string fault =
            offset_fault(number_at(offset, scope), number_at(now.width, scope), now,
                         where(e.sweep, {&offset, &access.width, &kind}, point));
        if (fault.empty()) return true;
        context.problems.add(written.span, fault, "a multiple of 16B suits every access");
        return false;
      });
}

}  // namespace

void check_offset(CheckContext& context, bool whole) {
  const auto* node = clause<ast::Offset>(context, "'offset'");
  if (!node) return;
  auto offset = checked_number(context, node->value, rules::offset);
  if (!offset) return;
  Measure& measure = context.measure();
  measure.offset = std::move(*offset);
  const Experiment& e = context.experiment;
  if (!whole || !ever_moves(e, measure.offset)) return;
  if (measure.run())
    return context.problems.add(node->value.span, "a kernel from a file has no pattern to offset",
                                "a parameter of the kernel can move its start");
  std::vector<const Access*> moved;
  for_each_statement(measure.body, [&](const Statement& one) {
    const auto* access = std::get_if<Access>(&one.node);
    if (access && ever_in_global(e, *access)) moved.push_back(access);
  });
  if (moved.empty())
    return context.problems.add(
        node->value.span, "no access here lies in global memory by a pattern",
        measure.name.empty()
            ? "arrays and shared memory stay where they are"
            : fmt::format("'offset 0B' in the measure {} leaves it as it is", measure.name));
  for (const Access* access : moved) check_aligned(context, node->value, *access);
}

}  // namespace gpx
