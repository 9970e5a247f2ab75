#include "lang/observe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/assert.h"
#include "lang/statements.h"

namespace gpx {
namespace {

constexpr RegionNeed kOneLoad = {
    [](const Measure& measure) {
      return measure.body.size() == 1 && std::holds_alternative<Chase>(measure.body[0].node);
    },
    "needs one load of an array, and nothing else", "such as < load a x256 chain >"};
constexpr RegionNeed kStamp = {
    [](const Measure& measure) { return count_of<Stamp>(measure.body) > 0; },
    "needs a stamp in the region", "such as < stamp; sync; stamp >"};
constexpr std::size_t kMostStatements = 32;  // A register for each read of the clock.
constexpr RegionNeed kStraight = {
    [](const Measure& measure) {
      return !measure.body.empty() && measure.body.size() <= kMostStatements &&
             std::ranges::all_of(measure.body, [](const Statement& one) {
               return std::holds_alternative<Access>(one.node) ||
                      std::holds_alternative<Operate>(one.node) ||
                      std::holds_alternative<Code>(one.node) ||
                      std::holds_alternative<Assign>(one.node) ||
                      std::holds_alternative<Sync>(one.node);
             });
    },
    "needs 1 to 32 statements that are each issued once: no branch, chase, stamp or keep",
    "such as < add.u32; load unique(128B); add.u32 >"};

}  // namespace

const std::vector<ObserveTraits>& observations() {
  static const std::vector<ObserveTraits> table = {
#define GPX_OBSERVE(id, help_text, ...) \
  {.observe = Observe::id, .name = #id, .help = help_text, __VA_ARGS__},
#include "lang/observe.def"
#undef GPX_OBSERVE
  };
  return table;
}

std::string ObserveTraits::document() const {
  std::vector<std::string> rows, values;
  for (const ObservedKey& key : keys) rows.push_back(fmt::format("`{}`", key.name));
  for (const ObservedColumn& column : columns)
    values.push_back(fmt::format("`{}`{}{}", column.name, column.unit == Unit::none ? "" : " in ",
                                 unit_symbol(column.unit)));
  return fmt::format("| `{}` | {} | {} | {} |", name, help, fmt::join(rows, ", "),
                     fmt::join(values, ", "));
}

const ObserveTraits& traits_of(Observe observe) {
  const ObserveTraits& row = observations()[static_cast<std::size_t>(observe)];
  GPX_ASSERT(row.observe == observe);
  return row;
}

const ObservedColumn* observed_column(std::string_view name) {
  for (const ObserveTraits& row : observations())
    for (const ObservedColumn& column : row.columns)
      if (column.name == name) return &column;
  return nullptr;
}

const ObservedKey* record_key(std::string_view name) {
  for (const ObserveTraits& row : observations())
    for (const ObservedKey& key : row.keys)
      if (key.name == name) return &key;
  return nullptr;
}

std::string observation_names(bool only_clocked) {
  std::vector<std::string_view> names;
  for (const ObserveTraits& row : observations())
    if (row.clocked || !only_clocked) names.emplace_back(row.name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace gpx
