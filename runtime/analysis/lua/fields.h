// Tables as arguments and results: which fields one may have, and lists. Covered by
// tests/script/script_test.cpp and tests/runtime/analysis_test.cpp.
#pragma once

#include <cstddef>
#include <lua.hpp>
#include <string>
#include <vector>

namespace gpx {

/// An error of Lua where the table at `index` has another field than these, of several the first
/// in the defined order. `call` begins the message: "plot".
void only_fields(lua_State* state, int index, const char* call,
                 const std::vector<std::string>& known);

/// Calls `visit()` with each element of the list at the top of the stack on top of that.
template <typename Visit>
void for_each_element(lua_State* state, Visit visit) {
  const int list = lua_gettop(state);
  for (lua_Unsigned i = 1; i <= lua_rawlen(state, list); ++i) {
    lua_rawgeti(state, list, static_cast<lua_Integer>(i));
    visit();
    lua_settop(state, list);
  }
}

/// Leaves a list on the stack whose element i, from 0, is what `push(i)` leaves there.
template <typename Push>
void push_list(lua_State* state, std::size_t count, Push push) {
  lua_createtable(state, static_cast<int>(count), 0);
  for (std::size_t i = 0; i < count; ++i) {
    push(i);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
}

inline void push_numbers(lua_State* state, const std::vector<double>& numbers) {
  push_list(state, numbers.size(), [&](std::size_t i) { lua_pushnumber(state, numbers[i]); });
}

}  // namespace gpx
