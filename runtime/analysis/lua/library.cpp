// The Lua libraries that an analysis script gets: Lua's own, less what reaches outside the state or
// runs long without executing an instruction.
//
// Lua's C functions run no count hook, so those whose work grows with their arguments are charged
// for it here. No metatables and no coroutines: a finalizer runs without the hook, and __len and
// __index turn the table library's loops endless. Covered by tests/runtime/lua_test.cpp.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>

#include "runtime/analysis/lua/order.h"
#include "runtime/analysis/lua/sandbox.h"

namespace gpx {
namespace {

constexpr double kMaxPatternSteps = 1e7;
constexpr lua_Integer kMaxTableLength = lua_Integer{1} << 26;

/// Calls the library function in upvalue 1 in this very frame, so that its messages name it.
int call_original(lua_State* state) {
  return lua_tocfunction(state, lua_upvalueindex(1))(state);
}

int charged_string(lua_State* state) {
  std::size_t length = 0;
  luaL_checklstring(state, 1, &length);
  LuaSandbox::of(state).charge(state, static_cast<double>(length) / 16);
  return call_original(state);
}

int named_format(lua_State* state) {
  name_format_arguments(state);
  return call_original(state);
}

int charged_format(lua_State* state) {
  name_format_arguments(state);
  return charged_string(state);
}

int charged_rep(lua_State* state) {
  std::size_t length = 0;
  luaL_checklstring(state, 1, &length);
  std::size_t separator = 0;
  if (!lua_isnoneornil(state, 3)) luaL_checklstring(state, 3, &separator);
  const double times = std::max<lua_Integer>(0, luaL_checkinteger(state, 2));
  // Lua loops over the repetitions even where the text is empty. Otherwise memory bounds them.
  const double bytes = times * static_cast<double>(length + separator);
  LuaSandbox::of(state).charge(state, bytes > 0 ? std::min(bytes / 16, 1e6) : times);
  return call_original(state);
}

/// A pattern with k repeated items may try every way to share n characters among them.
int charged_pattern(lua_State* state) {
  std::size_t length = 0;
  luaL_checklstring(state, 1, &length);
  std::size_t pattern_length = 0;
  const char* pattern = luaL_checklstring(state, 2, &pattern_length);
  int repeats = 1;
  for (std::size_t i = 0; i < pattern_length; ++i) {
    repeats += std::strchr("*+-?", pattern[i]) && pattern[i] ? 1 : 0;
    repeats += i > 0 && pattern[i - 1] == '%' && (pattern[i] == 'b' || pattern[i] == 'f') ? 1 : 0;
  }
  const double steps = std::pow(static_cast<double>(length) + 1, repeats);
  if (steps > kMaxPatternSteps && repeats > 1) {
    return luaL_error(state, "this pattern may take %f steps on a text of %d characters", steps,
                      static_cast<int>(length));
  }
  LuaSandbox::of(state).charge(state, steps + static_cast<double>(pattern_length));
  return call_original(state);
}

int charged_table(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  // A table with few elements can claim a length of 2^62.
  const lua_Integer length = luaL_len(state, 1);
  if (length > kMaxTableLength) return luaL_error(state, "the table has too many elements");
  LuaSandbox::of(state).charge(state, static_cast<double>(length) / 8 + 1);
  return call_original(state);
}

/// push and pop at the end move nothing; only they are cheap on a long table.
int charged_insert(lua_State* state) {
  if (lua_gettop(state) != 2) return charged_table(state);
  luaL_checktype(state, 1, LUA_TTABLE);
  return call_original(state);
}

int charged_remove(lua_State* state) {
  if (lua_gettop(state) != 1) return charged_table(state);
  luaL_checktype(state, 1, LUA_TTABLE);
  return call_original(state);
}

int print(lua_State* state) {
  std::string line;
  for (int i = 1; i <= lua_gettop(state); ++i) {
    push_defined_text(state, i);
    std::size_t length = 0;
    const char* text = lua_tolstring(state, -1, &length);
    if (i > 1) line += '\t';
    line.append(text, length);
    lua_pop(state, 1);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(line.size()));
  LuaSandbox::of(state).print(state, std::move(line));
  return 0;
}

struct Kept {
  const char* name;
  lua_CFunction wrapper;  ///< nullptr: as it is.
};

/// Leaves on the stack a new table with only the named members of the table at the top.
void keep(lua_State* state, std::initializer_list<Kept> kept) {
  lua_newtable(state);
  for (const Kept& member : kept) {
    lua_getfield(state, -2, member.name);
    if (member.wrapper) lua_pushcclosure(state, member.wrapper, 1);
    lua_setfield(state, -2, member.name);
  }
  lua_remove(state, -2);
}

void open_base(lua_State* state) {
  luaL_requiref(state, LUA_GNAME, luaopen_base, 1);
  for (const char* name : {"collectgarbage", "dofile", "getmetatable", "load", "loadfile",
                           "setmetatable", "warn", "xpcall"}) {
    lua_pushnil(state);
    lua_setfield(state, -2, name);
  }
  lua_pushcfunction(state, &lua_guarded<print>);
  lua_setfield(state, -2, "print");
  lua_pop(state, 1);
}

void open_string(lua_State* state) {
  luaL_requiref(state, LUA_STRLIBNAME, luaopen_string, 0);
  keep(state, {{"byte", nullptr},
               {"char", nullptr},
               {"find", &lua_guarded<charged_pattern>},
               {"format", &lua_guarded<charged_format>},
               {"gmatch", &lua_guarded<charged_pattern>},
               {"gsub", &lua_guarded<charged_pattern>},
               {"len", nullptr},
               {"lower", &lua_guarded<charged_string>},
               {"match", &lua_guarded<charged_pattern>},
               {"rep", &lua_guarded<charged_rep>},
               {"reverse", &lua_guarded<charged_string>},
               {"sub", &lua_guarded<charged_string>},
               {"upper", &lua_guarded<charged_string>}});
  // The methods of text values, ("x"):rep(3), must be the same guarded functions.
  lua_pushliteral(state, "");
  lua_getmetatable(state, -1);
  lua_pushvalue(state, -3);
  lua_setfield(state, -2, "__index");
  lua_pop(state, 2);
  lua_setglobal(state, LUA_STRLIBNAME);
}

void open_table(lua_State* state) {
  luaL_requiref(state, LUA_TABLIBNAME, luaopen_table, 0);
  keep(state, {{"concat", &lua_guarded<charged_table>},
               {"insert", &lua_guarded<charged_insert>},
               {"pack", nullptr},
               {"remove", &lua_guarded<charged_remove>},
               {"unpack", nullptr}});
  lua_setglobal(state, LUA_TABLIBNAME);
}

void open_math(lua_State* state) {
  luaL_requiref(state, LUA_MATHLIBNAME, luaopen_math, 1);
  // The same samples must give the same findings: no seed from the clock.
  lua_getfield(state, -1, "randomseed");
  lua_pushinteger(state, 1);
  lua_pushinteger(state, 0);
  lua_call(state, 2, 0);
  lua_pushnil(state);
  lua_setfield(state, -2, "randomseed");
  lua_pop(state, 1);
}

}  // namespace

void open_all_libraries(lua_State* state) {
  luaL_openlibs(state);
  lua_pushcfunction(state, &lua_guarded<print>);
  lua_setglobal(state, "print");
  lua_getglobal(state, LUA_STRLIBNAME);
  lua_getfield(state, -1, "format");
  lua_pushcclosure(state, &lua_guarded<named_format>, 1);
  lua_setfield(state, -2, "format");
  lua_pop(state, 1);
  define_order(state);
}

void open_safe_libraries(lua_State* state) {
  open_base(state);
  open_string(state);
  open_table(state);
  open_math(state);
  define_order(state);
}

}  // namespace gpx
