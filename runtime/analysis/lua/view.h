// The samples as scripts see them: rows of a table, in Lua's own memory. What the methods of
// samples share (runtime/analysis/lua/samples.cpp, lua_pivot.cpp). Covered by
// tests/runtime/analysis_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/analysis/lua/api.h"

namespace gpx {

struct View {
  const Samples* samples;
  std::size_t count;
  std::uint32_t rows[1];  ///< `count` of them.
};

void push_view(lua_State* state, const Samples& samples, const std::vector<std::uint32_t>& rows);
/// The argument at `index`; an error of the script if it is no samples.
const View& view_at(lua_State* state, int index);
/// The column that the argument at `index` names; an error that lists the columns.
const Column& column_at(lua_State* state, const View& view, int index);
void push_cell(lua_State* state, const Column& column, std::size_t row);
/// Neither NaN nor an empty text.
bool has_value(const Column& column, std::size_t row);

/// The method `pivot` (runtime/analysis/lua/pivot.cpp).
int samples_pivot(lua_State* state);

}  // namespace gpx
