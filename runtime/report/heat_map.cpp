#include "runtime/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "lang/lists.h"
#include "runtime/report/figures.h"
#include "runtime/report/number.h"

namespace gpx::report {
namespace {

constexpr std::size_t kMostColumns = 256, kMostRows = 128, kMostMaps = 4;

/// The values of a column in order, and the bin of each.
struct Bins {
  HeatAxis axis;
  std::map<double, std::size_t> of_number;
  std::map<std::string, std::size_t> of_word;
  std::size_t distinct = 0;

  std::optional<std::size_t> at(const Column& column, std::size_t row) const {
    if (column.is_text) {
      const auto found = of_word.find(column.texts[row]);
      return found == of_word.end() ? std::nullopt : std::optional(found->second);
    }
    const auto found = of_number.find(column.numbers[row]);
    return found == of_number.end() ? std::nullopt : std::optional(found->second);
  }
};

Bins bins_of(const Column& column, std::size_t most) {
  Bins bins;
  bins.axis.name = column.name;
  bins.axis.unit = std::string(unit_symbol(column.unit));
  if (column.is_text) {
    for (const std::string& word : column.texts)
      if (bins.of_word.emplace(word, bins.axis.words.size()).second)
        bins.axis.words.push_back(word);
    bins.distinct = bins.axis.words.size();
    return bins;
  }
  for (const double value : column.numbers)
    if (std::isfinite(value)) bins.of_number.emplace(value, 0);
  bins.distinct = bins.of_number.size();
  const std::size_t each = (bins.distinct + most - 1) / std::max<std::size_t>(1, most);
  std::size_t index = 0;
  for (auto& [value, bin] : bins.of_number) {
    bin = index++ / std::max<std::size_t>(1, each);
    if (bin == bins.axis.values.size()) bins.axis.values.push_back(value);
  }
  return bins;
}

std::size_t distinct(const Column& column) {
  return bins_of(column, 1).distinct;
}

/// The last axis that varies, but not `other`.
const Column* innermost(const Samples& curves, const Column* other) {
  const Column* found = nullptr;
  for (const Column& column : curves.columns)
    if (column.role == Column::Role::axis && &column != other && column.name != "measure" &&
        distinct(column) > 1)
      found = &column;
  return found;
}

std::string axis_text(const Column& column, std::size_t row) {
  if (column.is_text) return column.texts[row];
  return with_unit(column.numbers[row], unit_symbol(column.unit));
}

/// What else varies.
std::vector<const Column*> others(const Samples& curves, const Column* x, const Column* y) {
  std::vector<const Column*> columns;
  for (const Column& column : curves.columns)
    if (column.role == Column::Role::axis && &column != x && &column != y && distinct(column) > 1)
      columns.push_back(&column);
  return columns;
}

/// "n=2, measure=a"
std::string point_text(const std::vector<const Column*>& columns, std::size_t row) {
  return joined(columns, ", ", [&](const Column* column) {
    return fmt::format("{}={}", column->name, axis_text(*column, row));
  });
}

/// A record key or SM that stands on x.
const Column* across(const Samples& curves) {
  if (drawn_key(curves, Drawing::timeline)) return nullptr;
  if (const Column* key = drawn_key(curves, Drawing::over_key)) return key;
  const Column* sm = curves.find("sm");
  return sm && !sm->is_text ? sm : nullptr;
}

}  // namespace

std::vector<HeatMap> heat_maps(const ExperimentResult& result) {
  const Samples& curves = result.curves;
  const Column* x = across(curves);
  const Column* z = curves.find("latency");
  const Column* y = x ? innermost(curves, x) : nullptr;
  if (!x || !y || !z || z->is_text || distinct(*x) < 2) return {};
  const Bins columns = bins_of(*x, kMostColumns), rows = bins_of(*y, kMostRows);
  if (rows.axis.bins() > kMostRows) return {};  // Words are not put together.
  const std::vector<const Column*> keys = others(curves, x, y);
  std::map<std::string, std::size_t> known;
  std::vector<HeatMap> maps;
  for (std::size_t row = 0; row < curves.rows(); ++row) {
    const auto column = columns.at(*x, row), line = rows.at(*y, row);
    if (!column || !line || !std::isfinite(z->numbers[row])) continue;
    const std::string other = point_text(keys, row);
    const auto [it, fresh] = known.emplace(other, maps.size());
    if (fresh) {
      if (maps.size() == kMostMaps) break;
      HeatMap map{fmt::format("{} by {} and {}{}{}", z->name, x->name, y->name,
                              other.empty() ? "" : ", ", other),
                  columns.axis,
                  rows.axis,
                  z->name,
                  std::string(unit_symbol(z->unit)),
                  {},
                  false};
      map.cells.assign(map.x.bins() * map.y.bins(), NAN);
      map.binned = columns.distinct > map.x.bins() || rows.distinct > map.y.bins();
      maps.push_back(std::move(map));
    }
    HeatMap& map = maps[it->second];
    double& cell = map.cells[*line * map.x.bins() + *column];
    cell = std::fmax(cell, z->numbers[row]);
  }
  return maps;
}

}  // namespace gpx::report
