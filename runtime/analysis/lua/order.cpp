// Interface: order.h. Covered by tests/runtime/lua_order_test.cpp.
#include "runtime/analysis/lua/order.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/analysis/lua/fields.h"
#include "runtime/analysis/lua/sandbox.h"

namespace gpx {
namespace {

// ---- Numbered blocks
// ------------------------------------------------------------------------------

/// Before each block. `self` tells a block's beginning from any other place in it.
struct alignas(16) BlockHead {
  std::uint64_t number;
  const void* self;  ///< nullptr once the block has moved: no object does.
};

BlockHead* head_of(void* block) {
  return static_cast<BlockHead*>(block) - 1;
}

/// Of a table, a closure, a full userdata or a thread. The last two lie behind something of Lua's.
std::uint64_t number_of(const void* object) {
  const auto* place = static_cast<const char*>(object);
  for (;; place -= sizeof(void*)) {
    BlockHead head;
    std::memcpy(&head, place - sizeof head, sizeof head);
    if (head.self == place) return head.number;
  }
}

// ---- Names
// ----------------------------------------------------------------------------------------

const char kNames = 0;  // its address: where the registry keeps names, by object (weak)
const char kOrder = 0;  // ... and the table that next() goes over, with its keys

bool is_light_function(lua_State* state, int index) {
  if (!lua_iscfunction(state, index)) return false;
  const bool light = lua_getupvalue(state, index, 1) == nullptr;
  if (!light) lua_pop(state, 1);
  return light;
}

bool has_address(lua_State* state, int index) {
  return lua_type(state, index) >= LUA_TTABLE || lua_type(state, index) == LUA_TLIGHTUSERDATA;
}

void push_names(lua_State* state) {
  if (lua_rawgetp(state, LUA_REGISTRYINDEX, &kNames) == LUA_TTABLE) return;
  lua_pop(state, 1);
  lua_newtable(state);
  lua_createtable(state, 0, 1);
  lua_pushliteral(state, "k");
  lua_setfield(state, -2, "__mode");
  lua_setmetatable(state, -2);
  lua_pushvalue(state, -1);
  lua_rawsetp(state, LUA_REGISTRYINDEX, &kNames);
}

/// Pushes the name of an object or text: that of a library's function, else the next number.
void push_name(lua_State* state, int index) {
  index = lua_absindex(state, index);
  push_names(state);
  lua_pushvalue(state, index);
  if (lua_rawget(state, -2) == LUA_TNIL) {
    lua_pop(state, 1);
    lua_rawgeti(state, -1, 0);  // how many there are
    lua_pushinteger(state, lua_tointeger(state, -1) + 1);
    lua_remove(state, -2);
    lua_pushvalue(state, -1);
    lua_rawseti(state, -3, 0);
    lua_pushvalue(state, index);
    lua_pushvalue(state, -2);
    lua_rawset(state, -4);
  }
  lua_remove(state, -2);
  lua_tostring(state, -1);
}

// ---- Keys
// -----------------------------------------------------------------------------------------

struct TableKey {
  enum Kind { number, text, truth, object, builtin } kind = number;
  long double value = 0;  ///< Of a number: exact for integers and floats; of a truth value, 0 or 1.
  std::string_view name;  ///< Of a text; of a library's function.
  std::uint64_t rank = 0;
  lua_Integer place = 0;  ///< In the list of keys.

  bool operator<(const TableKey& other) const {
    if (kind != other.kind) return kind < other.kind;
    if (kind == number || kind == truth) return value < other.value;
    return name != other.name ? name < other.name : rank < other.rank;
  }
};

std::string_view text_at(lua_State* state, int index) {
  std::size_t length = 0;
  const char* text = lua_tolstring(state, index, &length);
  return {text, length};
}

/// A library's function has its name from define_order(); what else has no number lies in the
/// program itself, where the order of addresses is that of the link.
TableKey builtin_at(lua_State* state, int index) {
  TableKey key{
      TableKey::builtin, 0, {}, reinterpret_cast<std::uintptr_t>(lua_topointer(state, index))};
  push_names(state);
  lua_pushvalue(state, index);
  if (lua_rawget(state, -2) == LUA_TSTRING) key.name = text_at(state, -1), key.rank = 0;
  lua_pop(state, 2);
  return key;
}

TableKey key_at(lua_State* state, int index) {
  index = lua_absindex(state, index);
  switch (lua_type(state, index)) {
    case LUA_TNUMBER:
      return {TableKey::number,
              lua_isinteger(state, index) ? static_cast<long double>(lua_tointeger(state, index))
                                          : static_cast<long double>(lua_tonumber(state, index)),
              {}};
    case LUA_TSTRING: return {TableKey::text, 0, text_at(state, index)};
    case LUA_TBOOLEAN:
      return {TableKey::truth, static_cast<long double>(lua_toboolean(state, index)), {}};
    default:
      if (is_light_function(state, index) || lua_islightuserdata(state, index))
        return builtin_at(state, index);
      return {TableKey::object, 0, {}, number_of(lua_topointer(state, index))};
  }
}

/// Whether its keys are 1 to n and come in this order.
bool is_sequence(lua_State* state, int table) {
  lua_Integer expected = 0;
  for (lua_pushnil(state); lua_next(state, table); lua_pop(state, 1)) {
    if (lua_isinteger(state, -2) && lua_tointeger(state, -2) == ++expected) continue;
    lua_pop(state, 2);
    return false;
  }
  return true;
}

int step_sequence(lua_State* state) {
  lua_Integer at = lua_tointeger(state, lua_upvalueindex(2));
  const lua_Integer count = lua_tointeger(state, lua_upvalueindex(3));
  while (at < count) {
    lua_pushinteger(state, ++at);
    if (lua_rawgeti(state, lua_upvalueindex(1), at) == LUA_TNIL) {
      lua_pop(state, 2);
      continue;
    }
    lua_pushinteger(state, at);
    lua_replace(state, lua_upvalueindex(2));
    return 2;
  }
  lua_pushnil(state);
  return 1;
}

/// The first key of the list behind place `at` whose field is still there, with its value; nil.
int push_next(lua_State* state, int table, int keys, lua_Integer& at) {
  while (lua_rawgeti(state, keys, ++at) != LUA_TNIL) {
    lua_pushvalue(state, -1);
    if (lua_rawget(state, table) != LUA_TNIL) return 2;
    lua_pop(state, 2);
  }
  return 1;
}

int step_keys(lua_State* state) {
  lua_Integer at = lua_tointeger(state, lua_upvalueindex(3));
  const int pushed = push_next(state, lua_upvalueindex(1), lua_upvalueindex(2), at);
  lua_pushinteger(state, at);
  lua_replace(state, lua_upvalueindex(3));
  return pushed;
}

// ---- What scripts call
// ------------------------------------------------------------------------------

int ordered_pairs(lua_State* state) {
  luaL_checkany(state, 1);
  if (luaL_getmetafield(state, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(state, 1);
    lua_call(state, 1, 3);
    return 3;
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  lua_pushvalue(state, 1);
  if (is_sequence(state, 1)) {
    lua_pushinteger(state, 0);
    lua_pushinteger(state, static_cast<lua_Integer>(lua_rawlen(state, 1)));
    lua_pushcclosure(state, step_sequence, 3);
  } else {
    push_ordered_keys(state, 1);
    lua_pushinteger(state, 0);
    lua_pushcclosure(state, step_keys, 3);
  }
  lua_pushvalue(state, 1);
  lua_pushnil(state);
  return 3;
}

/// The place of the key at 2 in the list at 4, or of the last key before it.
lua_Integer place_of(lua_State* state) {
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, 4));
  const TableKey wanted = key_at(state, 2);
  lua_Integer low = 0, high = count;
  while (low < high) {
    const lua_Integer middle = low + (high - low) / 2;
    lua_rawgeti(state, 4, middle + 1);
    const bool after = wanted < key_at(state, -1);
    lua_pop(state, 1);
    (after ? high : low) = after ? middle : middle + 1;
  }
  return low;
}

/// The registry keeps {table, keys, place} of the last call: a walk over a table sorts it once.
int ordered_next(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 2);
  if (lua_rawgetp(state, LUA_REGISTRYINDEX, &kOrder) != LUA_TTABLE) {
    lua_pop(state, 1);
    lua_newtable(state);
    lua_pushvalue(state, -1);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &kOrder);
  }
  lua_rawgeti(state, 3, 1);
  const bool known = !lua_isnil(state, 2) && lua_rawequal(state, 1, -1);
  lua_pop(state, 1);
  if (known) {
    lua_rawgeti(state, 3, 2);
  } else {
    push_ordered_keys(state, 1);
    lua_pushvalue(state, 1);
    lua_rawseti(state, 3, 1);
    lua_pushvalue(state, 4);
    lua_rawseti(state, 3, 2);
  }
  lua_Integer at = 0;
  if (!lua_isnil(state, 2)) {
    lua_rawgeti(state, 3, 3);
    at = lua_tointeger(state, -1);
    lua_rawgeti(state, 4, at);
    if (!lua_rawequal(state, -1, 2)) at = place_of(state);
    lua_pop(state, 2);
  }
  const int pushed = push_next(state, 1, 4, at);
  lua_pushinteger(state, at);
  lua_rawseti(state, 3, 3);
  if (pushed == 1) {  // nothing is kept alive behind the end
    lua_pushnil(state);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &kOrder);
  }
  return pushed;
}

int text_of_value(lua_State* state) {
  luaL_checkany(state, 1);
  push_defined_text(state, 1);
  return 1;
}

// ---- Opening
// ----------------------------------------------------------------------------------------

/// The functions of the table at the top, as `prefix` and their keys.
void name_functions(lua_State* state, const std::string& prefix) {
  const int table = lua_gettop(state);
  push_names(state);
  for (lua_pushnil(state); lua_next(state, table); lua_pop(state, 1)) {
    if (!lua_isfunction(state, -1) || lua_type(state, -2) != LUA_TSTRING) continue;
    lua_pushvalue(state, -1);
    lua_pushstring(state, (prefix + lua_tostring(state, -3)).c_str());
    lua_rawset(state, table + 1);
  }
  lua_pop(state, 1);
}

void set_function(lua_State* state, const char* name, lua_CFunction function) {
  lua_pushcfunction(state, function);
  lua_setfield(state, -2, name);
}

}  // namespace

void* allocate_numbered(void* block, std::size_t bytes, std::uint64_t& count) {
  void* moved = std::realloc(block ? head_of(block) : nullptr, bytes + sizeof(BlockHead));
  if (!moved) return nullptr;
  auto* head = static_cast<BlockHead*>(moved);
  if (!block) head->number = count++;
  head->self = block ? nullptr : head + 1;
  return head + 1;
}

void free_numbered(void* block) {
  if (block) std::free(head_of(block));
}

void push_defined_text(lua_State* state, int index) {
  index = lua_absindex(state, index);
  const bool own = luaL_getmetafield(state, index, "__tostring") != LUA_TNIL;
  if (own) lua_pop(state, 1);
  if (own || !has_address(state, index)) {
    luaL_tolstring(state, index, nullptr);
    return;
  }
  const int result = lua_gettop(state) + 1;
  if (luaL_getmetafield(state, index, "__name") != LUA_TSTRING)
    lua_pushstring(state, luaL_typename(state, index));
  push_name(state, index);
  lua_pushfstring(state, "%s: %s", lua_tostring(state, -2), lua_tostring(state, -1));
  lua_replace(state, result);
  lua_settop(state, result);
}

void name_format_arguments(lua_State* state) {
  if (lua_type(state, 1) != LUA_TSTRING) return;
  std::string pattern(text_at(state, 1));
  int argument = 1;
  for (std::size_t at = 0; (at = pattern.find('%', at)) != std::string::npos; ++at) {
    at = pattern.find_first_not_of("-+ #0123456789.", at + 1);
    if (at == std::string::npos) break;
    if (pattern[at] == '%') continue;
    if (++argument > lua_gettop(state)) break;
    const bool named = has_address(state, argument);
    if (pattern[at] == 's' && named) {
      push_defined_text(state, argument);
    } else if (pattern[at] == 'p') {
      pattern[at] = 's';
      if (named || lua_type(state, argument) == LUA_TSTRING)
        push_name(state, argument);
      else
        lua_pushliteral(state, "(null)");
    } else {
      continue;
    }
    lua_replace(state, argument);
  }
  lua_pushlstring(state, pattern.data(), pattern.size());
  lua_replace(state, 1);
}

void push_ordered_keys(lua_State* state, int index) {
  index = lua_absindex(state, index);
  std::vector<TableKey> keys;
  bool in_order = true;
  lua_newtable(state);
  const int list = lua_gettop(state);
  for (lua_pushnil(state); lua_next(state, index);) {
    lua_pop(state, 1);
    keys.push_back(key_at(state, -1));
    keys.back().place = static_cast<lua_Integer>(keys.size());
    in_order = in_order && (keys.size() < 2 || keys[keys.size() - 2] < keys.back());
    lua_pushvalue(state, -1);
    lua_rawseti(state, list, keys.back().place);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(keys.size()));
  if (in_order) return;
  std::sort(keys.begin(), keys.end());
  push_list(state, keys.size(), [&](std::size_t i) { lua_rawgeti(state, list, keys[i].place); });
  lua_remove(state, list);
}

void define_order(lua_State* state) {
  lua_pushglobaltable(state);
  set_function(state, "pairs", &lua_guarded<ordered_pairs>);
  set_function(state, "next", &lua_guarded<ordered_next>);
  set_function(state, "tostring", &lua_guarded<text_of_value>);
  name_functions(state, "");
  lua_getfield(state, -1, LUA_TABLIBNAME);
  set_function(state, "sort", &lua_guarded<ordered_sort>);
  lua_pop(state, 1);
  for (const char* library :
       {"coroutine", "debug", "io", "math", "os", "string", "table", "utf8"}) {
    if (lua_getfield(state, -1, library) == LUA_TTABLE)
      name_functions(state, std::string(library) + ".");
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
}

}  // namespace gpx
