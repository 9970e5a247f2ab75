// Chases that end before their list does: a slip that no number shows.
// Interface: check_context.h; covered by tests/lang/check_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lang/check_context.h"
#include "lang/extremes.h"

namespace gpx {
namespace {

/// The links of a chase of one distance.
double links_of(const Array& array, const Scope& scope) {
  const double bytes = number_at(array.bytes, scope), width = number_at(array.width, scope);
  return std::floor((bytes - width) / number_at(array.layout.args.front(), scope)) + 1;
}

std::string shown(double bytes) {
  return to_string(Quantity{bytes, Unit::byte});
}

/// An array that is swept in size, and loads that reach no further whatever its size: a curve over
/// the size shows that of what is reached.
std::optional<Diagnostic> short_chase(const CheckContext& context, const Array& array,
                                      const Chase& chase, Span span) {
  const Experiment& e = context.experiment;
  const Expr& distance = array.layout.args.front();
  const std::vector<const Expr*> exprs = {&array.bytes, &distance, &chase.count};
  std::set<double> sizes, short_of;
  std::string text;
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const double bytes = number_at(array.bytes, scope), count = number_at(chase.count, scope);
    sizes.insert(bytes);
    if (count >= links_of(array, scope)) return true;
    short_of.insert(bytes);
    if (*short_of.rbegin() == bytes)
      text = fmt::format("{} loads reach {} of the {} of '{}'{}", count,
                         shown(count * number_at(distance, scope)), shown(bytes), array.name,
                         where(e.sweep, exprs, point));
    return true;
  });
  if (sizes.size() < 2 || short_of.empty()) return std::nullopt;
  return Diagnostic{text, context.problems.source().locate(span),
                    fmt::format("'x ({} / {})' follows every link once", to_string(array.bytes),
                                to_string(distance))};
}

}  // namespace

void warn_of_short_chases(CheckContext& context) {
  if (context.block.broken || context.block.names_broken) return;
  Experiment& e = context.experiment;
  std::set<std::string> told;
  for (const Measure& measure : e.measures)
    for (const Statement& statement : measure.body) {
      const auto* chase = std::get_if<Chase>(&statement.node);
      if (!chase || chase->from || measure.observe == Observe::each) continue;
      const auto array = std::ranges::find(e.arrays, chase->array, &Array::name);
      using Kind = Array::Layout::Kind;
      const bool one_distance = array != e.arrays.end() && (array->layout.kind == Kind::stride ||
                                                            array->layout.kind == Kind::random);
      if (!one_distance || told.contains(chase->array)) continue;
      if (auto warning = short_chase(context, *array, *chase, statement.span)) {
        e.warnings.push_back(std::move(*warning));
        told.insert(chase->array);
      }
    }
}

}  // namespace gpx
