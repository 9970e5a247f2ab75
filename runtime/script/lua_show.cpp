#include "runtime/script/lua_show.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::script {
namespace {

constexpr std::size_t kMostLines = 40;  ///< Of a table.
constexpr std::size_t kMostInline = 8;  ///< Fields of a table within a line.
constexpr int kDepth = 2;               ///< Of tables within a line.

struct Key {
  bool is_index = false;
  lua_Integer index = 0;
  std::string name;
  auto operator<=>(const Key&) const = default;
};

/// Whole numbers in their order, then texts; what else may be a key is left out.
std::vector<Key> keys_of(lua_State* state, int table) {
  std::vector<Key> keys;
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    lua_pop(state, 1);
    LuaSandbox::of(state).charge(state, 10);
    if (lua_isinteger(state, -1))
      keys.push_back({true, lua_tointeger(state, -1), {}});
    else if (lua_type(state, -1) == LUA_TSTRING)
      keys.push_back({false, 0, lua_tostring(state, -1)});
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    return a.is_index != b.is_index ? a.is_index : a < b;
  });
  return keys;
}

void push_field(lua_State* state, int table, const Key& key) {
  if (key.is_index)
    lua_rawgeti(state, table, key.index);
  else
    lua_getfield(state, table, key.name.c_str());
}

/// "samples of 12 rows: threads, repetition, latency"
std::string samples_text(lua_State* state, int index) {
  const int top = lua_gettop(state);
  std::string text = lua_typename(state, lua_type(state, index));
  if (luaL_getmetafield(state, index, "__index") == LUA_TTABLE &&
      lua_getfield(state, -1, "columns") == LUA_TFUNCTION) {
    lua_pushvalue(state, index);
    lua_call(state, 1, 1);
    const int columns = lua_gettop(state);
    std::string names;
    for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(state, columns)); ++i) {
      lua_rawgeti(state, columns, i);
      lua_getfield(state, -1, "name");
      names += (i == 1 ? "" : ", ") + std::string(lua_tostring(state, -1));
      lua_pop(state, 2);
    }
    lua_len(state, index);
    text = fmt::format("samples of {} rows: {}", lua_tointeger(state, -1), names);
  }
  lua_settop(state, top);
  return text;
}

std::string quoted(const char* text) {
  std::string out = "\"";
  for (; *text; ++text) {
    if (*text == '\n') {
      out += "\\n";
      continue;
    }
    if (*text == '"' || *text == '\\') out += '\\';
    out += *text;
  }
  return out + '"';
}

std::string in_line(lua_State* state, int index, int depth);

std::string table_text(lua_State* state, int index, int depth) {
  luaL_checkstack(state, 4, nullptr);
  const std::vector<Key> keys = keys_of(state, index);
  if (keys.empty()) return "{}";
  if (depth == 0) return fmt::format("{{{} field{}}}", keys.size(), keys.size() == 1 ? "" : "s");
  std::string text;
  for (std::size_t i = 0; i < std::min(keys.size(), kMostInline); ++i) {
    push_field(state, index, keys[i]);
    text += i == 0 ? "" : ", ";
    if (!keys[i].is_index) text += keys[i].name + " = ";
    text += in_line(state, lua_gettop(state), depth - 1);
    lua_pop(state, 1);
  }
  if (keys.size() > kMostInline) text += fmt::format(", … {} more", keys.size() - kMostInline);
  return '{' + text + '}';
}

std::string in_line(lua_State* state, int index, int depth) {
  switch (lua_type(state, index)) {
    case LUA_TSTRING: return quoted(lua_tostring(state, index));
    case LUA_TNUMBER: {
      lua_pushvalue(state, index);
      const std::string text = lua_tostring(state, -1);
      lua_pop(state, 1);
      return text;
    }
    case LUA_TBOOLEAN: return lua_toboolean(state, index) ? "true" : "false";
    case LUA_TTABLE: return table_text(state, index, depth);
    case LUA_TUSERDATA: return samples_text(state, index);
    default: return lua_typename(state, lua_type(state, index));
  }
}

}  // namespace

std::vector<std::string> shown(lua_State* state, int index) {
  if (lua_type(state, index) == LUA_TSTRING) return {lua_tostring(state, index)};
  if (lua_type(state, index) != LUA_TTABLE) return {in_line(state, index, kDepth)};
  const std::vector<Key> keys = keys_of(state, index);
  std::vector<std::string> lines;
  for (const Key& key : keys) {
    if (lines.size() == kMostLines) {
      lines.push_back(fmt::format("… {} more", keys.size() - kMostLines));
      break;
    }
    push_field(state, index, key);
    lines.push_back(fmt::format("{} = {}", key.is_index ? std::to_string(key.index) : key.name,
                                in_line(state, lua_gettop(state), kDepth - 1)));
    lua_pop(state, 1);
  }
  if (lines.empty()) lines.push_back("{}");
  return lines;
}

}  // namespace gpx::script
