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

/// Whether the links that are visited come from memory: flushed, and no pass of the launch before.
bool is_cold(const Measure& measure, const Experiment& e) {
  return measure.flush && !ever_rehearses(e, measure);
}

constexpr double kMuchLonger = 2;  ///< Of a list over what is visited of it.

/// What the loads of a chase reach, over all points.
struct Reach {
  std::set<double> sizes, short_of;  ///< Of the array, in bytes.
  double furthest = 0;               ///< The greatest part of the list: 1 is all of it.
  std::string text;                  ///< At the largest array that is not reached.
};

Reach reach_of(const Experiment& e, const Array& array, const Chase& chase) {
  Reach reach;
  const Expr& distance = array.layout.args.front();
  const std::vector<const Expr*> exprs = {&array.bytes, &distance, &chase.count};
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    const double bytes = number_at(array.bytes, scope), count = number_at(chase.count, scope);
    const double links = links_of(array, scope);
    reach.sizes.insert(bytes);
    reach.furthest = std::max(reach.furthest, count / links);
    if (count >= links) return true;
    reach.short_of.insert(bytes);
    if (*reach.short_of.rbegin() == bytes)
      reach.text = fmt::format("{} loads reach {} of the {} of '{}'{}", count,
                               shown(count * number_at(distance, scope)), shown(bytes), array.name,
                               where(e.sweep, exprs, point));
    return true;
  });
  return reach;
}

/// Loads that reach no further however large the array is: a curve over the size shows that of what
/// is reached. Where one size is given, each pass follows the same few links: unless they come from
/// memory anew, a cache answers them that the whole list would not fit in.
std::optional<Diagnostic> short_chase(const CheckContext& context, const Measure& measure,
                                      const Array& array, const Chase& chase, Span span) {
  Reach reach = reach_of(context.experiment, array, chase);
  if (reach.short_of.empty()) return std::nullopt;
  std::string hint = fmt::format("'x ({} / {})' follows every link once", to_string(array.bytes),
                                 to_string(array.layout.args.front()));
  if (reach.sizes.size() == 1) {
    const bool cached = array.space != Space::shared && !is_cold(measure, context.experiment);
    if (!cached || reach.furthest * kMuchLonger > 1) return std::nullopt;
    reach.text += ": every pass follows these again, which a cache may hold";
    hint += "; 'flush' without 'rehearse' makes every link come from memory";
  }
  return Diagnostic{reach.text, context.problems.source().locate(span), hint};
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
      if (auto warning = short_chase(context, measure, *array, *chase, statement.span)) {
        e.warnings.push_back(std::move(*warning));
        told.insert(chase->array);
      }
    }
}

}  // namespace gpx
