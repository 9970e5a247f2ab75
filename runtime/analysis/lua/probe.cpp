// probe.chase{...}, probe.code{...} and probe.most_bytes(space): from a script's table to a
// ChaseRequest and back. Interface: lua_probe.h. Covered by tests/runtime/cache_inference_test.cpp.
#include "runtime/analysis/lua/probe.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lang/vocabulary.h"
#include "runtime/analysis/lua/sandbox.h"

namespace gpx {
namespace {

constexpr std::uint64_t kMostAccesses = 1ull << 26;  // Of one request.

Prober& prober_of(lua_State* state) {
  return *static_cast<Prober*>(lua_touserdata(state, lua_upvalueindex(1)));
}

std::uint64_t whole_field(lua_State* state, const char* field, std::uint64_t absent) {
  std::uint64_t number = absent;
  if (lua_getfield(state, 1, field) != LUA_TNIL) {
    const lua_Number value = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || !(value >= 0) || value > 0x1p53 ||
        value != std::floor(value))
      luaL_error(state, "probe.chase: '%s' must be a whole number", field);
    number = static_cast<std::uint64_t>(value);
  }
  lua_pop(state, 1);
  return number;
}

Space space_named(lua_State* state, const char* name) {
  const auto space = space_of(name);
  if (!space) luaL_error(state, "probe: there is no space '%s'", name);
  return *space;
}

std::string cache_names() {
  std::string names;
  for (const Term& term : vocabulary())
    if (term.kind == TermKind::cache) names += (names.empty() ? "" : ", ") + std::string(term.name);
  return names;
}

void read_offsets(lua_State* state, ChaseRequest& request) {
  if (lua_getfield(state, 1, "offsets") != LUA_TTABLE)
    luaL_error(state, "probe.chase: 'offsets' must be a list");
  const auto count = lua_rawlen(state, -1);
  if (count == 0) luaL_error(state, "probe.chase: 'offsets' is empty");
  request.offsets.reserve(count);
  for (lua_Unsigned i = 1; i <= count; ++i) {
    lua_rawgeti(state, -1, static_cast<lua_Integer>(i));
    const lua_Number offset = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || offset < 0 || offset != std::floor(offset) ||
        offset + request.width > static_cast<lua_Number>(request.array_bytes))
      luaL_error(state, "probe.chase: offset %d of the list does not lie in the array",
                 static_cast<int>(i));
    request.offsets.push_back(static_cast<std::uint64_t>(offset));
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
}

ChaseRequest read_request(lua_State* state) {
  ChaseRequest request;
  if (lua_getfield(state, 1, "space") != LUA_TNIL)
    request.space = space_named(state, luaL_checkstring(state, -1));
  lua_pop(state, 1);
  if (lua_getfield(state, 1, "cache") != LUA_TNIL) {
    const char* name = luaL_checkstring(state, -1);
    const auto cache = cache_of(name);
    if (!cache)
      luaL_error(state, "there is no cache operator '%s': there are %s", name,
                 cache_names().c_str());
    request.cache = *cache;
  }
  lua_pop(state, 1);
  request.width = static_cast<std::uint32_t>(whole_field(state, "width", 4));
  if (request.width != 4 && request.width != 8)
    luaL_error(state, "probe.chase: a link has a width of 4 or 8 bytes");
  request.array_bytes = whole_field(state, "bytes", 0);
  request.warm_passes = static_cast<std::uint32_t>(whole_field(state, "warm", 2));
  request.observed_passes = static_cast<std::uint32_t>(whole_field(state, "passes", 1));
  lua_getfield(state, 1, "average");
  request.average = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  read_offsets(state, request);
  return request;
}

// The field of a table at the top of the stack.
std::optional<std::uint64_t> number_of(lua_State* state, const char* field) {
  std::optional<std::uint64_t> number;
  if (lua_getfield(state, -1, field) != LUA_TNIL) {
    const lua_Number value = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || !(value >= 0) || value > 0x1p53 ||
        value != std::floor(value))
      luaL_error(state, "probe: '%s' must be a whole number", field);
    number = static_cast<std::uint64_t>(value);
  }
  lua_pop(state, 1);
  return number;
}

// { sm = 1, code = 8192 } or { sm = 1, bytes = 32768, offsets = {...} }, at the top of the stack.
ProbeBeside read_beside(lua_State* state, std::uint32_t width) {
  if (lua_type(state, -1) != LUA_TTABLE) luaL_error(state, "probe: 'beside' is a list of tables");
  ProbeBeside one;
  one.sm = static_cast<std::uint32_t>(number_of(state, "sm").value_or(0));
  one.code_bytes = number_of(state, "code").value_or(0);
  one.array_bytes = number_of(state, "bytes").value_or(0);
  if (one.code_bytes > 0) return one;
  if (lua_getfield(state, -1, "offsets") != LUA_TTABLE || lua_rawlen(state, -1) == 0)
    luaL_error(state, "probe: what is beside has 'offsets' or 'code'");
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, -1));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, -1, i);
    const lua_Number offset = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || offset < 0 || offset != std::floor(offset) ||
        offset + width > static_cast<lua_Number>(one.array_bytes))
      luaL_error(state, "probe: offset %d beside does not lie in its array", static_cast<int>(i));
    one.offsets.push_back(static_cast<std::uint64_t>(offset));
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return one;
}

ProbePlace read_place(lua_State* state, std::uint32_t width) {
  constexpr std::size_t kMostBeside = 64;
  ProbePlace place;
  lua_pushvalue(state, 1);
  if (const auto sm = number_of(state, "sm")) place.sm = static_cast<std::uint32_t>(*sm);
  if (lua_getfield(state, -1, "beside") == LUA_TTABLE) {
    const auto count = lua_rawlen(state, -1);
    if (count > kMostBeside) luaL_error(state, "probe: too many blocks beside");
    for (lua_Unsigned i = 1; i <= count; ++i) {
      lua_rawgeti(state, -1, static_cast<lua_Integer>(i));
      place.beside.push_back(read_beside(state, width));
      lua_pop(state, 1);
    }
  }
  lua_pop(state, 2);
  return place;
}

int return_numbers(lua_State* state, const std::vector<double>& numbers) {
  lua_createtable(state, static_cast<int>(numbers.size()), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    lua_pushnumber(state, numbers[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
  return 1;
}

int code(lua_State* state) {
  constexpr std::uint64_t kMostRuns = 1 << 16;
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  CodeRequest request;
  request.bytes = whole_field(state, "bytes", 0);
  const std::uint64_t warm = whole_field(state, "warm", 2), runs = whole_field(state, "repeat", 1);
  if (warm > kMostRuns || runs == 0 || runs > kMostRuns)
    return luaL_error(state, "probe.code: too many passes, or none");
  request.warm_passes = static_cast<std::uint32_t>(warm);
  request.repetitions = static_cast<std::uint32_t>(runs);
  request.place = read_place(state, 4);
  LuaSandbox::of(state).raise(kProbingInstructions, kProbingSeconds);
  const auto answer = prober_of(state).code(request);
  if (!answer) return luaL_error(state, "%s", answer.error().diagnostics.front().message.c_str());
  return return_numbers(state, *answer);
}

int chase(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  ChaseRequest request = read_request(state);
  request.place = read_place(state, request.width);
  const std::uint64_t passes = std::uint64_t{request.warm_passes} + request.observed_passes;
  if (request.observed_passes == 0 || passes > kMostAccesses / request.offsets.size())
    return luaL_error(state, "probe.chase: too many accesses, or none");
  LuaSandbox::of(state).raise(kProbingInstructions, kProbingSeconds);
  LuaSandbox::of(state).charge(state, static_cast<double>(request.offsets.size()));
  const auto answer = prober_of(state).chase(request);
  if (!answer) return luaL_error(state, "%s", answer.error().diagnostics.front().message.c_str());
  return return_numbers(state, *answer);
}

int most_bytes(lua_State* state) {
  const Space space = space_named(state, luaL_checkstring(state, 1));
  lua_pushinteger(state, static_cast<lua_Integer>(prober_of(state).most_bytes(space)));
  return 1;
}

}  // namespace

void open_probe(lua_State* state, Prober& prober) {
  lua_newtable(state);
  lua_pushlightuserdata(state, &prober);
  lua_pushcclosure(state, &lua_guarded<chase>, 1);
  lua_setfield(state, -2, "chase");
  lua_pushlightuserdata(state, &prober);
  lua_pushcclosure(state, &lua_guarded<code>, 1);
  lua_setfield(state, -2, "code");
  lua_pushlightuserdata(state, &prober);
  lua_pushcclosure(state, &lua_guarded<most_bytes>, 1);
  lua_setfield(state, -2, "most_bytes");
  lua_setglobal(state, "probe");
}

}  // namespace gpx
