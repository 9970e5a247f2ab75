// The samples as scripts see them: a read-only view of some rows, with methods.
//
// A view lies in Lua's own memory (a pointer and row numbers), so that the memory budget counts it.
// Interface: lua_api.h; documented in docs/analysis.md. Covered by tests/runtime/analysis_test.cpp.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lua_api.h"

namespace gpx {
namespace {

constexpr char kViewType[] = "samples";

struct View {
  const Samples* samples;
  std::size_t count;
  std::uint32_t rows[1];  ///< `count` of them.
};

void push_view(lua_State* state, const Samples& samples, const std::vector<std::uint32_t>& rows) {
  const std::size_t bytes = sizeof(View) + rows.size() * sizeof(std::uint32_t);
  auto* view = static_cast<View*>(lua_newuserdatauv(state, bytes, 0));
  view->samples = &samples;
  view->count = rows.size();
  std::copy(rows.begin(), rows.end(), view->rows);
  luaL_setmetatable(state, kViewType);
}

const View& view_at(lua_State* state, int index) {
  return *static_cast<const View*>(luaL_checkudata(state, index, kViewType));
}

const Column& column_at(lua_State* state, const View& view, int index) {
  const char* name = luaL_checkstring(state, index);
  const Column* column = view.samples->find(name);
  if (!column) {
    std::string known;
    for (const Column& each : view.samples->columns)
      known += (known.empty() ? "" : ", ") + each.name;
    luaL_error(state, "the samples have no column '%s'; there are: %s", name, known.c_str());
  }
  return *column;
}

void push_cell(lua_State* state, const Column& column, std::size_t row) {
  if (column.is_text) {
    lua_pushlstring(state, column.texts[row].data(), column.texts[row].size());
  } else {
    lua_pushnumber(state, column.numbers[row]);
  }
}

void push_row(lua_State* state, const Samples& samples, std::size_t row) {
  lua_createtable(state, 0, static_cast<int>(samples.columns.size()));
  for (const Column& column : samples.columns) {
    push_cell(state, column, row);
    lua_setfield(state, -2, column.name.c_str());
  }
}

int column(lua_State* state) {
  const View& view = view_at(state, 1);
  const Column& column = column_at(state, view, 2);
  lua_createtable(state, static_cast<int>(view.count), 0);
  for (std::size_t i = 0; i < view.count; ++i) {
    push_cell(state, column, view.rows[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count));
  return 1;
}

int rows(lua_State* state) {
  const View& view = view_at(state, 1);
  lua_createtable(state, static_cast<int>(view.count), 0);
  for (std::size_t i = 0; i < view.count; ++i) {
    push_row(state, *view.samples, view.rows[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * 8));
  return 1;
}

int columns(lua_State* state) {
  static constexpr const char* roles[] = {"axis", "repetition", "record", "observed"};
  const View& view = view_at(state, 1);
  lua_newtable(state);
  for (std::size_t i = 0; i < view.samples->columns.size(); ++i) {
    const Column& each = view.samples->columns[i];
    lua_createtable(state, 0, 4);
    lua_pushstring(state, each.name.c_str());
    lua_setfield(state, -2, "name");
    lua_pushstring(state, std::string(unit_symbol(each.unit)).c_str());
    lua_setfield(state, -2, "unit");
    lua_pushstring(state, roles[static_cast<int>(each.role)]);
    lua_setfield(state, -2, "role");
    lua_pushboolean(state, each.is_text);
    lua_setfield(state, -2, "is_text");
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  return 1;
}

int has(lua_State* state) {
  lua_pushboolean(state, view_at(state, 1).samples->find(luaL_checkstring(state, 2)) != nullptr);
  return 1;
}

int count(lua_State* state) {
  lua_pushinteger(state, static_cast<lua_Integer>(view_at(state, 1).count));
  return 1;
}

int filter(lua_State* state) {
  const View& view = view_at(state, 1);
  luaL_checktype(state, 2, LUA_TFUNCTION);
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < view.count; ++i) {
    lua_pushvalue(state, 2);
    push_row(state, *view.samples, view.rows[i]);
    lua_call(state, 1, 1);
    if (lua_toboolean(state, -1)) kept.push_back(view.rows[i]);
    lua_pop(state, 1);
  }
  push_view(state, *view.samples, kept);
  return 1;
}

/// Groups in the order of their first row: a list of {key = {column = value}, samples = view}.
int group(lua_State* state) {
  const View& view = view_at(state, 1);
  std::vector<const Column*> by;
  for (int i = 2; i <= lua_gettop(state); ++i) by.push_back(&column_at(state, view, i));
  std::map<std::vector<std::pair<double, std::string>>, std::size_t> index;
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::size_t i = 0; i < view.count; ++i) {
    const std::uint32_t row = view.rows[i];
    std::vector<std::pair<double, std::string>> key;
    for (const Column* each : by) {
      key.emplace_back(each->is_text ? 0.0 : each->numbers[row],
                       each->is_text ? each->texts[row] : std::string{});
    }
    const auto [at, fresh] = index.try_emplace(std::move(key), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(row);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * (by.size() + 1)));
  lua_createtable(state, static_cast<int>(groups.size()), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    lua_createtable(state, 0, 2);
    lua_createtable(state, 0, static_cast<int>(by.size()));
    for (const Column* each : by) {
      push_cell(state, *each, groups[g].front());
      lua_setfield(state, -2, each->name.c_str());
    }
    lua_setfield(state, -2, "key");
    push_view(state, *view.samples, groups[g]);
    lua_setfield(state, -2, "samples");
    lua_rawseti(state, -2, static_cast<lua_Integer>(g + 1));
  }
  return 1;
}

std::optional<Reduce> reduce_named(std::string_view name) {
  for (const Reduce how :
       {Reduce::harmonic_mean, Reduce::mean, Reduce::median, Reduce::min, Reduce::max}) {
    if (name == reduce_name(how)) return how;
  }
  return std::nullopt;
}

Samples selected(const View& view) {
  Samples chosen;
  for (const Column& from : view.samples->columns) {
    Column to{from.name, from.unit, from.role, from.is_text, {}, {}};
    for (std::size_t i = 0; i < view.count; ++i) {
      if (from.is_text) to.texts.push_back(from.texts[view.rows[i]]);
      if (!from.is_text) to.numbers.push_back(from.numbers[view.rows[i]]);
    }
    chosen.columns.push_back(std::move(to));
  }
  return chosen;
}

int reduce_rows(lua_State* state) {
  const View& view = view_at(state, 1);
  const char* name = luaL_checkstring(state, 2);
  const std::optional<Reduce> how = reduce_named(name);
  if (!how) {
    return luaL_error(
        state, "'%s' is no reduction; there are: harmonic_mean, mean, median, min, max", name);
  }
  auto& pool = *static_cast<SamplesPool*>(lua_touserdata(state, lua_upvalueindex(1)));
  const std::size_t cells = view.count * view.samples->columns.size();
  LuaSandbox::of(state).charge(state, static_cast<double>(cells * 4));
  LuaSandbox::of(state).charge_memory(state, cells * 16);
  pool.made.push_back(reduce(selected(view), *how));
  push_samples(state, pool.made.back());
  return 1;
}

}  // namespace

void open_samples(lua_State* state, SamplesPool& pool) {
  static constexpr luaL_Reg methods[] = {{"column", &lua_guarded<column>},
                                         {"columns", &lua_guarded<columns>},
                                         {"has", &lua_guarded<has>},
                                         {"rows", &lua_guarded<rows>},
                                         {"count", &lua_guarded<count>},
                                         {"filter", &lua_guarded<filter>},
                                         {"group", &lua_guarded<group>},
                                         {"reduce", &lua_guarded<reduce_rows>},
                                         {nullptr, nullptr}};
  luaL_newmetatable(state, kViewType);
  luaL_newlibtable(state, methods);
  lua_pushlightuserdata(state, &pool);
  luaL_setfuncs(state, methods, 1);
  lua_setfield(state, -2, "__index");
  lua_pushcfunction(state, &lua_guarded<count>);
  lua_setfield(state, -2, "__len");
  lua_pop(state, 1);
}

void push_samples(lua_State* state, const Samples& samples) {
  if (samples.rows() > std::numeric_limits<std::uint32_t>::max()) {
    luaL_error(state, "more than 2^32 samples");
  }
  std::vector<std::uint32_t> rows(samples.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  push_view(state, samples, rows);
}

}  // namespace gpx
