// Models as published, in C++ because predictions evaluate them too. Interface: api.h; documented
// in docs/analysis.md. Covered by tests/runtime/mwp_cwp_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/analysis/lua/api.h"
#include "runtime/analysis/mwp_cwp.h"

namespace gpx {
namespace {

bool truth_at(lua_State* state, const char* name) {
  lua_getfield(state, 1, name);
  const bool truth = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  return truth;
}

/// Errors: a value that is no number, a name that is no parameter's.
MwpCwpParameters parameters_at(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  MwpCwpParameters made;
  for (lua_pushnil(state); lua_next(state, 1) != 0; lua_pop(state, 1)) {
    const std::string name = lua_type(state, -2) == LUA_TSTRING ? lua_tostring(state, -2) : "?";
    if (name == "as_printed" || name == "printed_condition") continue;
    const auto rows = mwp_cwp_parameters();
    const auto row =
        std::ranges::find_if(rows, [&](const auto& each) { return name == each.name; });
    if (row == rows.end())
      throw std::runtime_error(fmt::format("the model has no parameter '{}'", name));
    if (lua_type(state, -1) != LUA_TNUMBER)
      throw std::runtime_error(fmt::format("the model needs a number for {}", name));
    made.*row->member = lua_tonumber(state, -1);
  }
  return made;
}

MwpCwp evaluated(lua_State* state) {
  const MwpCwpParameters parameters = parameters_at(state);
  auto model =
      mwp_cwp(parameters, {truth_at(state, "as_printed"), truth_at(state, "printed_condition")});
  if (!model) throw std::runtime_error(model.error());
  return std::move(*model);
}

void set_model_number(lua_State* state, const char* name, double value) {
  lua_pushnumber(state, value);
  lua_setfield(state, -2, name);
}
void set_model_text(lua_State* state, const char* name, const std::string& value) {
  lua_pushlstring(state, value.data(), value.size());
  lua_setfield(state, -2, name);
}

/// equations.mwp_cwp(parameters): parameters and intermediates by name; equation, case, why, limit,
/// seconds, and table: the paper's Table 2, as lines.
int mwp_cwp_of(lua_State* state) {
  const MwpCwp model = evaluated(state);
  lua_newtable(state);
  for (const MwpCwpParameterRow& row : mwp_cwp_parameters())
    set_model_number(state, row.name, model.given.*row.member);
  for (const MwpCwpRow& row : mwp_cwp_intermediates())
    set_model_number(state, row.name, model.*row.member);
  set_model_number(state, "equation", model.equation);
  set_model_number(state, "seconds", model.seconds());
  set_model_text(state, "case", model.which);
  set_model_text(state, "why", model.why);
  set_model_text(state, "limit", model.limit);
  lua_newtable(state);
  lua_Integer number = 0;
  for (const std::string& line : mwp_cwp_table(model)) {
    lua_pushlstring(state, line.data(), line.size());
    lua_rawseti(state, -2, ++number);
  }
  lua_setfield(state, -2, "table");
  return 1;
}

template <class Rows>
void push_rows(lua_State* state, const Rows& rows) {
  lua_newtable(state);
  lua_Integer number = 0;
  for (const auto& row : rows) {
    lua_newtable(state);
    lua_Integer column = 0;
    for (const char* text : {row.name, row.unit, row.from}) {
      lua_pushstring(state, text);
      lua_rawseti(state, -2, ++column);
    }
    lua_rawseti(state, -2, ++number);
  }
}

/// equations.mwp_cwp_names(): the parameters and the intermediates, each { name, unit, from }.
int mwp_cwp_names(lua_State* state) {
  push_rows(state, mwp_cwp_parameters());
  push_rows(state, mwp_cwp_intermediates());
  return 2;
}

}  // namespace

void open_equations(lua_State* state) {
  static constexpr luaL_Reg functions[] = {{"mwp_cwp", &lua_guarded<mwp_cwp_of>},
                                           {"mwp_cwp_names", &lua_guarded<mwp_cwp_names>},
                                           {nullptr, nullptr}};
  luaL_newlib(state, functions);
  lua_setglobal(state, "equations");
}

}  // namespace gpx
