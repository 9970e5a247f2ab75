// Points of a sweep at which an expression is evaluated. Interface: extremes.h; covered by
// tests/lang/check_test.cpp.
#include "lang/extremes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/assert.h"

namespace gpx {
namespace {

constexpr std::size_t max_combinations = 65536;

std::set<std::string> names_in(const std::vector<const Expr*>& exprs) {
  std::set<std::string> names;
  for (const Expr* expr : exprs)
    for_each_name(*expr, [&](const Expr& name) { names.insert(name.text); });
  return names;
}

bool names_any(const std::vector<Axis>& group, const std::set<std::string>& names) {
  return std::any_of(group.begin(), group.end(),
                     [&](const Axis& axis) { return names.count(axis.name) > 0; });
}

std::vector<std::size_t> ends_of(const std::vector<Axis>& group) {
  // No axis is without values: check_sweep.cpp refuses empty ranges, the grammar empty lists.
  GPX_ASSERT(!group.empty() && !group.front().values.empty());
  std::set<std::size_t> indices = {0, group.front().values.size() - 1};
  for (const Axis& axis : group) {
    if (!std::holds_alternative<Quantity>(axis.values.front())) continue;
    const auto less = [](const Value& a, const Value& b) {
      return std::get<Quantity>(a).value < std::get<Quantity>(b).value;
    };
    const auto [low, high] = std::minmax_element(axis.values.begin(), axis.values.end(), less);
    indices.insert(low - axis.values.begin());
    indices.insert(high - axis.values.begin());
  }
  return {indices.begin(), indices.end()};
}

std::vector<std::size_t> all_of(std::size_t size) {
  std::vector<std::size_t> indices(size);
  for (std::size_t i = 0; i < size; ++i) indices[i] = i;
  return indices;
}

/// Which values of each group to visit.
std::vector<std::vector<std::size_t>> choose(const Sweep& sweep,
                                             const std::set<std::string>& names) {
  std::size_t combinations = 1;
  for (const auto& group : sweep.groups)
    if (names_any(group, names))
      combinations = std::min(combinations * group.front().values.size(), max_combinations + 1);
  std::vector<std::vector<std::size_t>> indices;
  for (const auto& group : sweep.groups) {
    if (!names_any(group, names))
      indices.push_back({0});
    else if (combinations <= max_combinations)
      indices.push_back(all_of(group.front().values.size()));
    else
      indices.push_back(ends_of(group));
  }
  return indices;
}

}  // namespace

void for_each_point(const Sweep& sweep, const std::vector<const Expr*>& exprs,
                    const std::function<bool(const std::vector<Value>&)>& visit) {
  const auto indices = choose(sweep, names_in(exprs));
  std::vector<std::size_t> at(indices.size(), 0);
  std::vector<Value> point;
  for (;;) {
    point.clear();
    for (std::size_t g = 0; g < indices.size(); ++g)
      for (const Axis& axis : sweep.groups[g]) point.push_back(axis.values[indices[g][at[g]]]);
    if (!visit(point)) return;
    std::size_t g = indices.size();
    while (g > 0 && ++at[g - 1] == indices[g - 1].size()) at[--g] = 0;
    if (g == 0) return;
  }
}

std::string where(const Sweep& sweep, const std::vector<const Expr*>& exprs,
                  const std::vector<Value>& point) {
  const std::set<std::string> names = names_in(exprs);
  std::vector<std::string> parts;
  const auto axes = sweep.axes();
  for (std::size_t i = 0; i < axes.size() && i < point.size(); ++i)
    if (names.count(axes[i]->name))
      parts.push_back(fmt::format("{} = {}", axes[i]->name, to_string(point[i])));
  return parts.empty() ? "" : fmt::format(" where {}", fmt::join(parts, " and "));
}

}  // namespace gpx
