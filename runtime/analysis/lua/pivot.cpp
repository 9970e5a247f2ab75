// samples:pivot(down, across, what): one column laid out over two others.
// Documented in docs/analysis.md. Covered by tests/script/script_test.cpp.
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "runtime/analysis/lua/fields.h"
#include "runtime/analysis/lua/view.h"

namespace gpx {
namespace {

/// For each row, which of the column's values it has, by number; `first_rows` gets a row of each.
std::vector<std::size_t> places(const View& view, const Column& column,
                                std::vector<std::uint32_t>& first_rows) {
  std::map<std::pair<double, std::string>, std::size_t> seen;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < view.count; ++i) {
    const std::uint32_t row = view.rows[i];
    const auto key = column.is_text ? std::pair(0.0, column.texts[row])
                                    : std::pair(column.numbers[row], std::string());
    const auto [place, fresh] = seen.try_emplace(key, first_rows.size());
    if (fresh) first_rows.push_back(row);
    at.push_back(place->second);
  }
  return at;
}

void set_cells(lua_State* state, const char* field, const Column& column,
               const std::vector<std::uint32_t>& rows) {
  push_list(state, rows.size(), [&](std::size_t i) { push_cell(state, column, rows[i]); });
  lua_setfield(state, -2, field);
}

void set_matrix(lua_State* state, const std::vector<double>& cells, std::size_t width) {
  push_list(state, width > 0 ? cells.size() / width : 0, [&](std::size_t row) {
    push_list(state, width, [&](std::size_t c) { lua_pushnumber(state, cells[row * width + c]); });
  });
  lua_setfield(state, -2, "cells");
}

}  // namespace

/// {rows, columns, cells}, cells[i][j] NaN where no row is.
int samples_pivot(lua_State* state) {
  const View& all = view_at(state, 1);
  const Column& down = column_at(state, all, 2);
  const Column& across = column_at(state, all, 3);
  const Column& what = column_at(state, all, 4);
  if (what.is_text) return luaL_error(state, "pivot: '%s' is a text", what.name.c_str());
  std::vector<std::uint32_t> kept(all.rows, all.rows + all.count);
  std::erase_if(kept, [&](std::uint32_t row) {
    return !has_value(down, row) || !has_value(across, row) || !has_value(what, row);
  });
  push_view(state, *all.samples, kept);
  const View& view = view_at(state, -1);
  std::vector<std::uint32_t> rows, columns;
  const auto i = places(view, down, rows), j = places(view, across, columns);
  const std::size_t count = rows.size() * columns.size();
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * 8 + count));
  LuaSandbox::of(state).charge_memory(state, count * sizeof(double));
  std::vector<double> cells(count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < view.count; ++k) {
    double& cell = cells[i[k] * columns.size() + j[k]];
    if (!std::isnan(cell))
      return luaL_error(state, "pivot: two rows have one place; reduce or choose rows first");
    cell = what.numbers[view.rows[k]];
  }
  lua_createtable(state, 0, 3);
  set_cells(state, "rows", down, rows);
  set_cells(state, "columns", across, columns);
  set_matrix(state, cells, columns.size());
  return 1;
}

}  // namespace gpx
