// Fields of the table on top of Lua's stack, as the twin's tables have them.
#pragma once

#include <string>
#include <vector>

#include "runtime/analysis/lua/sandbox.h"

namespace gpx::twin {

/// "" where there is none.
inline std::string text_field(lua_State* state, const char* name) {
  lua_getfield(state, -1, name);
  const char* const text = lua_tostring(state, -1);
  std::string value = text ? text : "";
  lua_pop(state, 1);
  return value;
}

/// 0 where there is none.
inline double number_field(lua_State* state, const char* name) {
  lua_getfield(state, -1, name);
  const double value = lua_tonumber(state, -1);
  lua_pop(state, 1);
  return value;
}

inline std::vector<std::string> texts_field(lua_State* state, const char* name) {
  std::vector<std::string> texts;
  lua_getfield(state, -1, name);
  const lua_Integer count = lua_istable(state, -1) ? luaL_len(state, -1) : 0;
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, -1, i);
    texts.emplace_back(lua_tostring(state, -1));
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return texts;
}

}  // namespace gpx::twin
