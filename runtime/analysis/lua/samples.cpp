// The samples as scripts see them: a read-only view of some rows, with methods.
//
// A view lies in Lua's own memory (a pointer and row numbers), so that the memory budget counts it.
// Interface: lua_api.h; documented in docs/analysis.md. Covered by tests/runtime/analysis_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/lists.h"
#include "runtime/analysis/lua/fields.h"
#include "runtime/analysis/lua/order.h"
#include "runtime/analysis/lua/view.h"

namespace gpx {
namespace {

constexpr char kViewType[] = "samples";

}  // namespace

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

bool has_value(const Column& column, std::size_t row) {
  return column.is_text ? !column.texts[row].empty() : !std::isnan(column.numbers[row]);
}

namespace {

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
  push_list(state, view.count, [&](std::size_t i) { push_cell(state, column, view.rows[i]); });
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count));
  return 1;
}

int rows(lua_State* state) {
  const View& view = view_at(state, 1);
  push_list(state, view.count,
            [&](std::size_t i) { push_row(state, *view.samples, view.rows[i]); });
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * 8));
  return 1;
}

constexpr const char* kRoles[] = {"axis", "repetition", "record", "observed", "interval"};

/// All columns, or those of one role.
int columns(lua_State* state) {
  const View& view = view_at(state, 1);
  const char* wanted = luaL_optstring(state, 2, nullptr);
  if (wanted && !contains(kRoles, std::string_view(wanted))) {
    return luaL_error(
        state, "'%s' is no role; there are: axis, repetition, record, observed, interval", wanted);
  }
  lua_newtable(state);
  lua_Integer count = 0;
  for (const Column& each : view.samples->columns) {
    const std::string role(to_string(each.role));
    if (wanted && wanted != role) continue;
    lua_createtable(state, 0, 4);
    lua_pushstring(state, each.name.c_str());
    lua_setfield(state, -2, "name");
    lua_pushstring(state, std::string(unit_symbol(each.unit)).c_str());
    lua_setfield(state, -2, "unit");
    lua_pushstring(state, role.c_str());
    lua_setfield(state, -2, "role");
    lua_pushboolean(state, each.is_text);
    lua_setfield(state, -2, "is_text");
    lua_rawseti(state, -2, ++count);
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

/// What a row must hold: a column and its text or number.
struct Wanted {
  const Column* column;
  std::string text;
  double number = 0;

  bool holds(std::size_t row) const {
    return column->is_text ? column->texts[row] == text : column->numbers[row] == number;
  }
};

/// {column = value, ...}: an error for a column that is not there, and for a value of another type.
std::vector<Wanted> wanted_at(lua_State* state, const View& view, int index) {
  luaL_checktype(state, index, LUA_TTABLE);
  std::vector<Wanted> all;
  push_ordered_keys(state, index);
  for_each_element(state, [&] {
    if (lua_type(state, -1) != LUA_TSTRING) luaL_error(state, "where: columns have names");
    Wanted wanted{&column_at(state, view, -1), {}, 0};
    lua_rawget(state, index);
    if (lua_type(state, -1) != (wanted.column->is_text ? LUA_TSTRING : LUA_TNUMBER)) {
      luaL_error(state, "where: the column '%s' holds %s, not a %s", wanted.column->name.c_str(),
                 wanted.column->is_text ? "texts" : "numbers", luaL_typename(state, -1));
    }
    if (wanted.column->is_text) wanted.text = lua_tostring(state, -1);
    if (!wanted.column->is_text) wanted.number = lua_tonumber(state, -1);
    all.push_back(std::move(wanted));
  });
  lua_pop(state, 1);
  return all;
}

int where(lua_State* state) {
  const View& view = view_at(state, 1);
  const std::vector<Wanted> wanted = wanted_at(state, view, 2);
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < view.count; ++i) {
    const bool holds =
        std::ranges::all_of(wanted, [&](const Wanted& each) { return each.holds(view.rows[i]); });
    if (holds) kept.push_back(view.rows[i]);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * (wanted.size() + 1)));
  push_view(state, *view.samples, kept);
  return 1;
}

/// The rows in which each of the columns has a value.
int having(lua_State* state) {
  const View& view = view_at(state, 1);
  std::vector<std::uint32_t> kept(view.rows, view.rows + view.count);
  for (int i = 2; i <= lua_gettop(state); ++i) {
    const Column& column = column_at(state, view, i);
    std::erase_if(kept, [&](std::uint32_t row) { return !has_value(column, row); });
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * lua_gettop(state)));
  push_view(state, *view.samples, kept);
  return 1;
}

/// Numbers before the missing ones; equal cells are equivalent.
bool cell_less(const Column& column, std::size_t a, std::size_t b) {
  if (column.is_text) return column.texts[a] < column.texts[b];
  const double left = column.numbers[a], right = column.numbers[b];
  return left < right || (!std::isnan(left) && std::isnan(right));
}

/// The rows by the first column, equal ones by the next; what is equal in all keeps its order.
int sort(lua_State* state) {
  const View& view = view_at(state, 1);
  std::vector<const Column*> by;
  for (int i = 2; i <= lua_gettop(state); ++i) by.push_back(&column_at(state, view, i));
  std::vector<std::uint32_t> sorted(view.rows, view.rows + view.count);
  std::ranges::stable_sort(sorted, [&](std::uint32_t a, std::uint32_t b) {
    for (const Column* column : by) {
      if (cell_less(*column, a, b)) return true;
      if (cell_less(*column, b, a)) return false;
    }
    return false;
  });
  const double count = static_cast<double>(view.count);
  LuaSandbox::of(state).charge(state, count * std::log2(count + 2) * (by.size() + 1.0));
  push_view(state, *view.samples, sorted);
  return 1;
}

/// The values of a column, each once, in the order of the rows. Missing values are left out.
int distinct(lua_State* state) {
  const View& view = view_at(state, 1);
  const Column& column = column_at(state, view, 2);
  std::set<std::pair<double, std::string>> seen;
  lua_newtable(state);
  lua_Integer count = 0;
  for (std::size_t i = 0; i < view.count; ++i) {
    const std::size_t row = view.rows[i];
    if (!has_value(column, row)) continue;
    const bool fresh = column.is_text ? seen.emplace(0.0, column.texts[row]).second
                                      : seen.emplace(column.numbers[row], std::string()).second;
    if (!fresh) continue;
    push_cell(state, column, row);
    lua_rawseti(state, -2, ++count);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * 4));
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
      const double number = each->is_text ? 0.0 : each->numbers[row];
      // NaN has no place in an order.
      key.emplace_back(std::isnan(number) ? -std::numeric_limits<double>::infinity() : number,
                       each->is_text ? each->texts[row] : std::string{});
    }
    const auto [at, fresh] = index.try_emplace(std::move(key), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(row);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(view.count * (by.size() + 1)));
  push_list(state, groups.size(), [&](std::size_t g) {
    lua_createtable(state, 0, 2);
    lua_createtable(state, 0, static_cast<int>(by.size()));
    for (const Column* each : by) {
      push_cell(state, *each, groups[g].front());
      lua_setfield(state, -2, each->name.c_str());
    }
    lua_setfield(state, -2, "key");
    push_view(state, *view.samples, groups[g]);
    lua_setfield(state, -2, "samples");
  });
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
                                         {"where", &lua_guarded<where>},
                                         {"having", &lua_guarded<having>},
                                         {"sort", &lua_guarded<sort>},
                                         {"distinct", &lua_guarded<distinct>},
                                         {"group", &lua_guarded<group>},
                                         {"pivot", &lua_guarded<samples_pivot>},
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
