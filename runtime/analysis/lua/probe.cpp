// probe.chase{...}, probe.code{...}, probe.kernel{...} and probe.most_bytes(space): from a script's
// table to a request and back. Interface: lua_probe.h. Covered by
// tests/runtime/cache_inference_test.cpp.
#include "runtime/analysis/lua/probe.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/files/files.h"
#include "lang/vocabulary.h"
#include "runtime/analysis/lua/fields.h"
#include "runtime/analysis/lua/order.h"
#include "runtime/analysis/lua/sandbox.h"
#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/probe/code.h"
#include "runtime/analysis/probe/kernel.h"

namespace gpx {
namespace {

constexpr std::uint64_t kMostAccesses = 1ull << 26;  // Of one request.
constexpr std::uint64_t kMostCopies = 256;           // Of a kernel: 16 MB of constants.

ProbeHost& host_of(lua_State* state) {
  return *static_cast<ProbeHost*>(lua_touserdata(state, lua_upvalueindex(1)));
}

Prober& prober_of(lua_State* state) {
  return host_of(state).prober;
}

/// A field of the table at `table`, a whole number.
std::optional<std::uint64_t> whole_field(lua_State* state, int table, const char* field) {
  std::optional<std::uint64_t> number;
  if (lua_getfield(state, table, field) != LUA_TNIL) {
    const lua_Number value = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || !(value >= 0) || value > 0x1p53 ||
        value != std::floor(value))
      luaL_error(state, "probe: '%s' must be a whole number", field);
    number = static_cast<std::uint64_t>(value);
  }
  lua_pop(state, 1);
  return number;
}

std::uint64_t whole_field(lua_State* state, const char* field, std::uint64_t absent) {
  return whole_field(state, 1, field).value_or(absent);
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

/// The list `offsets` of the table at `table`: links of an array.
std::vector<std::uint64_t> read_offsets(lua_State* state, int table, std::uint64_t array_bytes,
                                        std::uint32_t width) {
  if (lua_getfield(state, table, "offsets") != LUA_TTABLE || lua_rawlen(state, -1) == 0)
    luaL_error(state, "probe: 'offsets' must be a list that is not empty");
  std::vector<std::uint64_t> offsets(lua_rawlen(state, -1));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    lua_rawgeti(state, -1, static_cast<lua_Integer>(i + 1));
    const lua_Number offset = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || offset < 0 || offset != std::floor(offset) ||
        offset + width > static_cast<lua_Number>(array_bytes))
      luaL_error(state, "probe: offset %d of the list does not lie in the array",
                 static_cast<int>(i + 1));
    offsets[i] = static_cast<std::uint64_t>(offset);
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return offsets;
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
  lua_getfield(state, 1, "flush");
  request.flush = lua_toboolean(state, -1) != 0;
  lua_pop(state, 2);
  const std::uint64_t copies = whole_field(state, "copies", 1);
  const std::uint64_t copy = whole_field(state, "copy", 1);
  if (copies > kMostCopies || copy == 0 || copy > copies)
    luaL_error(state, "probe.chase: 'copy' must be one of 1 to 'copies', which are 256 at most");
  request.copies = static_cast<std::uint32_t>(copies);
  request.copy = static_cast<std::uint32_t>(copy - 1);
  request.offsets = read_offsets(state, 1, request.array_bytes, request.width);
  return request;
}

// { sm = 1, code = 8192 } or { sm = 1, bytes = 32768, offsets = {...} }, at the top of the stack.
ProbeBeside read_beside(lua_State* state, std::uint32_t width) {
  if (lua_type(state, -1) != LUA_TTABLE) luaL_error(state, "probe: 'beside' is a list of tables");
  ProbeBeside one;
  const int table = lua_gettop(state);
  one.sm = static_cast<std::uint32_t>(whole_field(state, table, "sm").value_or(0));
  one.code_bytes = whole_field(state, table, "code").value_or(0);
  one.array_bytes = whole_field(state, table, "bytes").value_or(0);
  if (one.code_bytes == 0) one.offsets = read_offsets(state, table, one.array_bytes, width);
  return one;
}

ProbePlace read_place(lua_State* state, std::uint32_t width) {
  constexpr std::size_t kMostBeside = 64;
  ProbePlace place;
  if (const auto sm = whole_field(state, 1, "sm")) place.sm = static_cast<std::uint32_t>(*sm);
  if (lua_getfield(state, 1, "beside") == LUA_TTABLE) {
    if (lua_rawlen(state, -1) > kMostBeside) luaL_error(state, "probe: too many co-runners");
    for_each_element(state, [&] { place.beside.push_back(read_beside(state, width)); });
  }
  lua_pop(state, 1);
  return place;
}

constexpr char kRefusal[] = "gpx.refusal";

/// An error that probe_refusal() tells from a script's own.
int refuse(lua_State* state, const std::string& why) {
  lua_pushstring(state, why.c_str());
  lua_setfield(state, LUA_REGISTRYINDEX, kRefusal);
  return luaL_error(state, "%s", why.c_str());
}

int ask(lua_State* state, const ProbeRequest& request) {
  ++host_of(state).asked;
  const auto answer = prober_of(state).ask(request);
  if (answer) return push_numbers(state, *answer), 1;
  const std::string& why = answer.error().diagnostics.front().message;
  if (answer.error().fault == Fault::input) return refuse(state, why);
  return luaL_error(state, "%s", why.c_str());
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
  request.runs = static_cast<std::uint32_t>(runs);
  request.place = read_place(state, 4);
  LuaSandbox::of(state).raise(kProbingInstructions, kProbingSeconds);
  return ask(state, request);
}

int chase(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  ChaseRequest request = read_request(state);
  request.place = read_place(state, request.width);
  const std::uint64_t passes = std::uint64_t{request.warm_passes} + request.observed_passes;
  if (request.observed_passes == 0) return luaL_error(state, "probe.chase: no observed access");
  if (passes > kMostAccesses / request.offsets.size())
    return refuse(state, "probe.chase: more than 67108864 accesses");
  LuaSandbox::of(state).raise(kProbingInstructions, kProbingSeconds);
  LuaSandbox::of(state).charge(state, static_cast<double>(request.offsets.size()));
  return ask(state, request);
}

// Whole numbers of the list at the top of the stack, which is taken off.
std::vector<std::uint64_t> take_words(lua_State* state, const char* what) {
  if (lua_type(state, -1) != LUA_TTABLE) luaL_error(state, "probe.kernel: %s is a list", what);
  std::vector<std::uint64_t> words(lua_rawlen(state, -1));
  for (std::size_t i = 0; i < words.size(); ++i) {
    lua_rawgeti(state, -1, static_cast<lua_Integer>(i + 1));
    const lua_Number number = lua_tonumber(state, -1);
    if (lua_type(state, -1) != LUA_TNUMBER || !(number >= 0) || number > 0x1p53 ||
        number != std::floor(number))
      luaL_error(state, "probe.kernel: item %d of %s is no whole number", static_cast<int>(i + 1),
                 what);
    words[i] = static_cast<std::uint64_t>(number);
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return words;
}

/// The text of a file of `folder`, with that of others in place of a line that includes each: what
/// is asked is all of it.
std::optional<std::string> expanded_text(const std::string& folder, const std::string& name) {
  constexpr std::string_view kInclude = "#include \"";
  auto text = file_text(folder + name);
  for (std::size_t at; text && (at = text->find(kInclude)) != std::string::npos;) {
    const std::size_t from = at + kInclude.size(), to = text->find('"', from);
    const auto other =
        to == std::string::npos ? std::nullopt : file_text(folder + text->substr(from, to - from));
    if (!other) return std::nullopt;
    text->replace(at, to + 1 - at, *other);
  }
  return text;
}

// stdlib/probes/NAME.cu, behind a line `#define` for each of `defines`.
void read_kernel_file(lua_State* state, KernelRequest& request) {
  lua_getfield(state, 1, "name");
  request.name = luaL_checkstring(state, -1);
  lua_pop(state, 1);
  const bool plain =
      std::ranges::all_of(request.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  const std::string folder = host_of(state).stdlib + "/probes/";
  request.file = folder + request.name + ".cu";
  const auto text = plain ? expanded_text(folder, request.name + ".cu") : std::nullopt;
  if (!text) luaL_error(state, "probe.kernel: there is no probe '%s'", request.name.c_str());
  if (lua_getfield(state, 1, "defines") == LUA_TTABLE) {
    push_ordered_keys(state, -1);
    for_each_element(state, [&] {
      lua_pushvalue(state, -1);
      lua_rawget(state, -4);
      request.text += std::string("#define ") + luaL_checkstring(state, -2) + " " +
                      luaL_checkstring(state, -1) + "\n";
    });
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  request.text += *text;
}

int kernel(lua_State* state) {
  constexpr std::uint64_t kMostResults = 1 << 22, kMostBlocks = 1 << 16;
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  KernelRequest request;
  read_kernel_file(state, request);
  lua_getfield(state, 1, "arrays");
  request.arrays = take_words(state, "arrays");
  if (lua_getfield(state, 1, "textures") != LUA_TNIL)
    request.textures = take_words(state, "textures");
  else
    lua_pop(state, 1);
  if (lua_getfield(state, 1, "lists") != LUA_TTABLE)
    luaL_error(state, "probe.kernel: 'lists' is a list of lists");
  for_each_element(state, [&] {
    request.lists.push_back(take_words(state, "lists"));
    LuaSandbox::of(state).charge(state, static_cast<double>(request.lists.back().size()));
  });
  lua_pop(state, 1);
  lua_getfield(state, 1, "scalars");
  request.scalars = take_words(state, "scalars");
  lua_getfield(state, 1, "bare");
  request.bare = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  request.results = whole_field(state, "results", 1);
  request.room = whole_field(state, "room", request.room);
  const std::uint64_t blocks = whole_field(state, "blocks", 1);
  const std::uint64_t threads = whole_field(state, "threads", 1);
  const std::uint64_t fewer = whole_field(state, "fewer", 0);
  if (request.results == 0 || request.results > kMostResults || request.room > kMostResults ||
      blocks == 0 || blocks > kMostBlocks || fewer > blocks || threads == 0 || threads > 1024)
    return luaL_error(state, "probe.kernel: too many results, blocks or threads, or none");
  request.blocks = static_cast<std::uint32_t>(blocks);
  request.threads = static_cast<std::uint32_t>(threads);
  request.fewer = static_cast<std::uint32_t>(fewer);
  LuaSandbox::of(state).raise(kProbingInstructions, kProbingSeconds);
  return ask(state, request);
}

/// The number of the last request in the log.
int count_probes(lua_State* state) {
  lua_pushinteger(state, static_cast<lua_Integer>(host_of(state).asked));
  return 1;
}

int most_bytes(lua_State* state) {
  const Space space = space_named(state, luaL_checkstring(state, 1));
  lua_pushinteger(state, static_cast<lua_Integer>(prober_of(state).most_bytes(space)));
  return 1;
}

}  // namespace

bool probe_refused(lua_State* state, const std::string& message) {
  lua_getfield(state, LUA_REGISTRYINDEX, kRefusal);
  const char* why = lua_tostring(state, -1);
  const bool refused = why && message.find(why) != std::string::npos;
  lua_pop(state, 1);
  return refused;
}

void open_probe(lua_State* state, ProbeHost& host) {
  const luaL_Reg functions[] = {
      {"chase", &lua_guarded<chase>},           {"code", &lua_guarded<code>},
      {"kernel", &lua_guarded<kernel>},         {"count", &lua_guarded<count_probes>},
      {"most_bytes", &lua_guarded<most_bytes>}, {nullptr, nullptr}};
  lua_newtable(state);
  lua_pushlightuserdata(state, &host);
  luaL_setfuncs(state, functions, 1);
  lua_setglobal(state, "probe");
}

}  // namespace gpx
