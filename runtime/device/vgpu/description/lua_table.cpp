// Running the chunk, copying its table, finding places in its text. Interface: lua_table.h.
// Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/lua_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <lua.hpp>
#include <memory>
#include <string_view>

#include "codegen/confined/confined.h"
#include "lang/lists.h"
#include "lang/utf8.h"

namespace gpx::vgpu::timing {
namespace {

constexpr std::size_t kMemoryLimit = 16 << 20;
constexpr int kInstructionLimit = 1'000'000;
constexpr int kDepthLimit = 8;

struct Memory {
  std::size_t used = 0;
};

void* allocate(void* state, void* old, std::size_t old_bytes, std::size_t bytes) {
  Memory& memory = *static_cast<Memory*>(state);
  const std::size_t before = old ? old_bytes : 0;
  if (bytes > before && memory.used + (bytes - before) > kMemoryLimit) return nullptr;
  memory.used = memory.used - before + bytes;
  if (bytes == 0) {
    std::free(old);
    return nullptr;
  }
  return std::realloc(old, bytes);
}

void out_of_instructions(lua_State* lua, lua_Debug* at) {
  lua_getinfo(lua, "l", at);
  lua_pushfstring(lua, "device:%d: it runs for more than %d instructions", at->currentline,
                  kInstructionLimit);
  lua_error(lua);
}

// How large a tree may be.
struct Budget {
  int values = 10'000;
  std::size_t bytes = kMemoryLimit;  // of texts, each as often as it stands there
  bool exceeded = false;
};

LuaValue copy(lua_State* lua, int index, int depth, Budget& budget);

std::string text_within(lua_State* lua, int index, Budget& budget) {
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, index, &length);
  if (length > budget.bytes) {
    budget.exceeded = true;
    return {};
  }
  budget.bytes -= length;
  return {text, length};
}

// Where a chunk is whose time is over: called in the middle of anything.
void place_of(void* state, confined::Place& place) {
  lua_Debug activation{};
  for (int level = 0; lua_getstack(static_cast<lua_State*>(state), level, &activation); ++level) {
    lua_getinfo(static_cast<lua_State*>(state), "l", &activation);
    place.line = std::max(activation.currentline, 0);
    if (place.line > 0) return;
  }
}

LuaValue copy_table(lua_State* lua, int index, int depth, Budget& budget) {
  LuaValue value;
  value.kind = LuaValue::Kind::table;
  if (depth == kDepthLimit || !lua_checkstack(lua, 4)) {
    budget.exceeded = true;
    return value;
  }
  const auto length = static_cast<lua_Integer>(lua_rawlen(lua, index));
  for (lua_Integer i = 1; i <= length && !budget.exceeded; ++i) {
    lua_rawgeti(lua, index, i);
    value.items.push_back(copy(lua, lua_gettop(lua), depth + 1, budget));
    lua_pop(lua, 1);
  }
  for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
    if (budget.exceeded) continue;
    if (lua_type(lua, -2) == LUA_TSTRING) {
      value.named.emplace(lua_tostring(lua, -2), copy(lua, lua_gettop(lua), depth + 1, budget));
    } else if (!lua_isinteger(lua, -2) || lua_tointeger(lua, -2) < 1 ||
               lua_tointeger(lua, -2) > length) {
      value.odd_keys = true;
    }
  }
  return value;
}

LuaValue copy(lua_State* lua, int index, int depth, Budget& budget) {
  LuaValue value;
  if (--budget.values < 0) budget.exceeded = true;
  switch (lua_type(lua, index)) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN:
      value.kind = LuaValue::Kind::truth;
      value.truth = lua_toboolean(lua, index) != 0;
      break;
    case LUA_TNUMBER:
      value.kind = LuaValue::Kind::number;
      value.number = lua_tonumber(lua, index);
      break;
    case LUA_TSTRING:
      value.kind = LuaValue::Kind::text;
      value.text = text_within(lua, index, budget);
      break;
    case LUA_TTABLE: return copy_table(lua, index, depth, budget);
    default:
      value.kind = LuaValue::Kind::other;
      value.text = lua_typename(lua, lua_type(lua, index));
  }
  return value;
}

// A message of Lua starts with the chunk's name, which is "device" here, and a line: device:7: ...
tl::unexpected<Error> lua_error_at(const Source& source, lua_State* lua) {
  const char* text = lua_tostring(lua, -1);
  std::string message = text ? text : "error of an unknown kind";
  std::size_t line = 0;
  constexpr std::string_view prefix = "device:";
  if (message.rfind(prefix, 0) == 0) {
    std::size_t at = prefix.size();
    while (at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])))
      line = 10 * line + static_cast<std::size_t>(message[at++] - '0');
    if (line != 0) message = message.substr(std::min(at + 2, message.size()));
  }
  if (line == 0) return fail(Fault::input, source, {}, message);
  std::size_t begin = 0;
  for (; line > 1 && begin != std::string::npos; --line) {
    begin = source.text().find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  begin = std::min(begin, source.text().size());
  const std::size_t end = std::min(source.text().find('\n', begin), source.text().size());
  return fail(Fault::input, source,
              {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, message);
}

// Walks the text's table constructors and notes where each `name =` stands. It understands comments
// and strings; anything else that it does not understand costs places, never wrong values.
class Places {
 public:
  explicit Places(const std::string& text) : text_(text) {}

  std::map<std::string, Span> find() {
    while (skip_blank(), at_ < text_.size()) token();
    return std::move(places_);
  }

 private:
  void skip_blank() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_.compare(at_, 2, "--") == 0) {
        at_ += 2;
        if (!long_bracket()) at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  // [[...]] and [=[...]=]
  bool long_bracket() {
    if (at_ >= text_.size() || text_[at_] != '[') return false;
    std::size_t level = at_ + 1;
    while (level < text_.size() && text_[level] == '=') ++level;
    if (level >= text_.size() || text_[level] != '[') return false;
    const std::string close = "]" + std::string(level - at_ - 1, '=') + "]";
    const std::size_t end = text_.find(close, level + 1);
    at_ = end == std::string::npos ? text_.size() : end + close.size();
    return true;
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string result;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result += text_[at_++];
    }
    if (at_ < text_.size()) ++at_;
    return result;
  }

  void token() {
    const char c = text_[at_];
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      const std::size_t begin = at_;
      while (at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
        ++at_;
      key_if_assigned(text_.substr(begin, at_ - begin), begin);
    } else if (c == '"' || c == '\'') {
      quoted();
    } else if (c == '[' && !open_.empty()) {
      if (!long_bracket()) bracket_key();
    } else {
      brace_or_comma(c);
      ++at_;
    }
  }

  void bracket_key() {
    const std::size_t begin = at_++;
    skip_blank();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return;
    const std::string key = quoted();
    skip_blank();
    if (at_ >= text_.size() || text_[at_] != ']') return;
    ++at_;
    key_if_assigned(key, begin);
  }

  void key_if_assigned(const std::string& key, std::size_t begin) {
    skip_blank();
    if (open_.empty() || at_ >= text_.size() || text_[at_] != '=') return;
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '=') return;
    ++at_;
    close_value(begin);
    key_ = open_.back().empty() ? key : open_.back() + "." + key;
    key_begin_ = begin;
    places_[key_] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  void brace_or_comma(char c) {
    if (c == '{') {
      open_.push_back(key_);
      // A table's place is its key; the values inside it have places of their own.
      key_.clear();
    } else if (c == '}') {
      close_value(at_);
      if (!open_.empty()) open_.pop_back();
    } else if (c == ',' || c == ';') {
      close_value(at_);
    }
  }

  // The value of the current key ends before `end`: its place covers key and value.
  void close_value(std::size_t end) {
    if (!key_.empty()) {
      while (end > key_begin_ && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
      places_[key_].end = static_cast<std::uint32_t>(end);
    }
    key_.clear();
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;  // paths of the open tables
  std::string key_;                // of the value being read; empty: none
  std::size_t key_begin_ = 0;
  std::map<std::string, Span> places_;
};

}  // namespace

const LuaValue* LuaValue::find(const std::string& key) const {
  return find_value(named, key);
}

std::string describe(const LuaValue& value) {
  switch (value.kind) {
    case LuaValue::Kind::nil: return "nil";
    case LuaValue::Kind::truth: return value.truth ? "true" : "false";
    case LuaValue::Kind::number: return fmt::format("the number {:g}", value.number);
    case LuaValue::Kind::text: return fmt::format("\"{}\"", value.text);
    case LuaValue::Kind::table: return "a table";
    case LuaValue::Kind::other: return "a " + value.text;
  }
  return "";
}

Result<LuaData> read_lua_data(const Source& source) {
  Memory memory;
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(lua_newstate(allocate, &memory),
                                                               &lua_close);
  if (!state) return fail(Fault::device, "out of memory");
  lua_State* lua = state.get();
  lua_sethook(lua, out_of_instructions, LUA_MASKCOUNT, kInstructionLimit);
  confined::watch(place_of, lua);
  const std::string& text = source.text();
  const std::string_view code = without_mark(text);
  if (luaL_loadbufferx(lua, code.data(), code.size(), "=device", "t") != LUA_OK ||
      lua_pcall(lua, 0, 1, 0) != LUA_OK)
    return lua_error_at(source, lua);
  if (!lua_istable(lua, -1))
    return fail(Fault::input, source, {},
                fmt::format("a device file returns a table, not {}", luaL_typename(lua, -1)),
                "return { name = \"...\", ... }");
  Budget budget;
  LuaData data;
  data.value = copy(lua, lua_gettop(lua), 0, budget);
  if (budget.exceeded)
    return fail(Fault::input, source, {},
                fmt::format("the table is nested deeper than {}, contains itself, or is too large",
                            kDepthLimit));
  data.places = Places(text).find();
  return data;
}

}  // namespace gpx::vgpu::timing
