// The Lua state behind an analysis: budgets, error places, protected calls.
// Interface: lua_sandbox.h. Covered by tests/runtime/lua_test.cpp.
#include "runtime/analysis/lua/sandbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>

#include "lang/utf8.h"
#include "runtime/analysis/lua/order.h"

namespace gpx {
namespace {

constexpr int kHookInterval = 1000;

std::string megabytes(std::size_t bytes) {
  return fmt::format("{} MB", bytes >> 20);
}

int run_body(lua_State* state) {
  const auto* body = static_cast<const std::function<void(lua_State*)>*>(lua_touserdata(state, 1));
  lua_settop(state, 0);
  (*body)(state);
  return lua_gettop(state);
}

/// The line of a text, as a place without the blanks around it.
Location line_of(const std::string& path, const std::string& text, int number) {
  Location location{path, number, 1, 1, {}};
  std::size_t begin = 0;
  for (int line = 1; line < number && begin != std::string::npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return location;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  location.line_text = text.substr(begin, end - begin);
  const std::size_t first = location.line_text.find_first_not_of(" \t");
  if (first != std::string::npos) {
    location.column = static_cast<int>(first) + 1;
    location.length = static_cast<int>(location.line_text.find_last_not_of(" \t\r") - first) + 1;
  }
  return location;
}

}  // namespace

// Lua shortens names above 59 characters in its messages; ours stay whole.
std::string LuaSandbox::short_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  if (name.size() > 48) name = name.substr(name.size() - 48);
  return name;
}

Error late_script(const std::string& path, const std::string& text, const confined::Place& place) {
  Error error = make_error(Fault::input, "the script ran beyond its time budget in one call");
  if (!path.empty() && place.line > 0)
    error.diagnostics.front().location = line_of(path, text, place.line);
  return error;
}

std::optional<std::string> missing_library(const std::string& message) {
  for (const char* name :
       {"io", "os", "package", "debug", "coroutine", "require", "dofile", "loadfile", "load",
        "collectgarbage", "setmetatable", "getmetatable", "xpcall", "warn"})
    for (const char* kind : {"global", "local", "upvalue"})
      if (message.ends_with(fmt::format("a nil value ({} '{}')", kind, name))) return name;
  return std::nullopt;
}

LuaBudget LuaBudget::unlimited() {
  LuaBudget budget;
  budget.instructions = std::numeric_limits<std::uint64_t>::max() / 2;
  budget.memory_bytes = std::numeric_limits<std::size_t>::max() / 2;
  budget.seconds = 1e9;  // 31 years
  budget.printed_bytes = std::numeric_limits<std::size_t>::max() / 2;
  return budget;
}

// A process may be stopped, and a machine busy with others: neither is the script's doing.
double LuaSandbox::processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

LuaSandbox::LuaSandbox(LuaBudget budget)
    : budget_(std::move(budget)),
      end_(processor_seconds() + budget_.seconds),
      state_(lua_newstate(&LuaSandbox::allocate, this)) {
  if (!state_) throw std::bad_alloc();
  *static_cast<LuaSandbox**>(lua_getextraspace(state())) = this;
  open_safe_libraries(state());
  count();
  confined::watch(&LuaSandbox::place_for, this);
  confined::allow(budget_.seconds + kSandboxGrace);
}

LuaSandbox::~LuaSandbox() {
  confined::watch(nullptr, nullptr);
}

// Called in the middle of anything: Lua's chain of calls is whole, nothing is allocated.
void LuaSandbox::place_for(void* self, confined::Place& place) {
  lua_State* state = static_cast<LuaSandbox*>(self)->state();
  lua_Debug activation{};
  for (int level = 0; lua_getstack(state, level, &activation); ++level) {
    lua_getinfo(state, "Sl", &activation);
    if (activation.currentline <= 0) continue;
    static_assert(sizeof place.chunk >= sizeof activation.short_src);
    std::memcpy(place.chunk, activation.short_src, sizeof activation.short_src);
    place.line = activation.currentline;
    return;
  }
}

LuaSandbox& LuaSandbox::of(lua_State* state) {
  return **static_cast<LuaSandbox**>(lua_getextraspace(state));
}

void* LuaSandbox::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  auto& sandbox = *static_cast<LuaSandbox*>(self);
  if (!block) old_size = 0;  // Lua passes a type tag there.
  if (new_size == 0) {
    sandbox.used_memory_ -= old_size;
    free_numbered(block);
    return nullptr;
  }
  const bool over = new_size > old_size &&
                    sandbox.used_memory_ + (new_size - old_size) > sandbox.budget_.memory_bytes;
  void* moved = over ? nullptr : allocate_numbered(block, new_size, sandbox.allocations_);
  if (moved) {
    sandbox.used_memory_ += new_size - old_size;
  } else if (sandbox.state_) {
    // Lua calls no message handler for this error: its place is kept here.
    sandbox.failed_at_ = sandbox.running_place();
    sandbox.out_of_memory_ = true;
  }
  return moved;
}

void LuaSandbox::count() {
  lua_sethook(state(), budget_.counted ? &LuaSandbox::count_hook : nullptr, LUA_MASKCOUNT,
              kHookInterval);
}

void LuaSandbox::count_hook(lua_State* state, lua_Debug*) {
  LuaSandbox& sandbox = of(state);
  sandbox.used_instructions_ += static_cast<std::uint64_t>(lua_gethookcount(state));
  sandbox.check_budget(state);
}

void LuaSandbox::check_budget(lua_State* state) {
  const bool instructions = used_instructions_ > budget_.instructions;
  const bool stopped = budget_.stop && *budget_.stop;
  if (!stopped && !instructions && processor_seconds() < end_) return;
  // From now on every instruction fails, so that a script's pcall cannot go on after the error.
  lua_sethook(state, &LuaSandbox::count_hook, LUA_MASKCOUNT, 1);
  if (stopped) luaL_error(state, "interrupted");
  const std::string message =
      instructions
          ? fmt::format("the script ran beyond its budget of {} instructions", budget_.instructions)
          : fmt::format("the script ran beyond its time budget of {} s", budget_.seconds);
  luaL_error(state, "%s", message.c_str());
}

void LuaSandbox::charge(lua_State* state, double units) {
  const double left = static_cast<double>(budget_.instructions) + 1;
  used_instructions_ += static_cast<std::uint64_t>(std::clamp(units, 0.0, left));
  check_budget(state);
}

void LuaSandbox::charge_memory(lua_State* state, std::size_t bytes) {
  if (bytes > budget_.memory_bytes || used_memory_ > budget_.memory_bytes - bytes) {
    luaL_error(state, "the script went beyond its memory budget of %s",
               megabytes(budget_.memory_bytes).c_str());
  }
  used_memory_ += bytes;
}

void LuaSandbox::print(lua_State* state, std::string line) {
  printed_bytes_ += line.size() + 1;
  if (printed_bytes_ > budget_.printed_bytes) {
    luaL_error(state, "the script printed more than %s", megabytes(budget_.printed_bytes).c_str());
  }
  if (budget_.on_print) return budget_.on_print(line);
  printed_.push_back(std::move(line));
}

void LuaSandbox::raise(std::uint64_t instructions, double seconds) {
  budget_.instructions = std::max(budget_.instructions, instructions);
  if (seconds <= budget_.seconds) return;
  end_ += seconds - budget_.seconds;
  budget_.seconds = seconds;
  confined::allow(seconds + kSandboxGrace);
}

void LuaSandbox::renew() {
  used_instructions_ = 0;
  printed_bytes_ = 0;
  end_ = processor_seconds() + budget_.seconds;
  count();
}

LuaSandbox::Place LuaSandbox::running_place() const {
  lua_Debug activation{};
  for (int level = 0; lua_getstack(state(), level, &activation); ++level) {
    lua_getinfo(state(), "Sl", &activation);
    if (activation.currentline > 0) return {activation.short_src, activation.currentline};
  }
  return {};
}

int LuaSandbox::on_error(lua_State* state) {
  of(state).failed_at_ = of(state).running_place();
  of(state).out_of_memory_ = false;
  if (lua_type(state, 1) != LUA_TSTRING && lua_type(state, 1) != LUA_TNUMBER) {
    lua_pushfstring(state, "the script raised an error that is a %s, not a text",
                    luaL_typename(state, 1));
    return 1;
  }
  lua_tostring(state, 1);
  return 1;
}

void LuaSandbox::load(lua_State* state, const std::string& path, const std::string& text) {
  const std::string name = short_name(path);
  chunks_[name] = {path, text};
  const std::string_view code = without_mark(text);
  if (luaL_loadbufferx(state, code.data(), code.size(), ("@" + name).c_str(), "t") != LUA_OK) {
    lua_error(state);
  }
}

Result<void> LuaSandbox::run(const std::string& path, const std::string& text) {
  return protect([&](lua_State* state) {
    load(state, path, text);
    lua_call(state, 0, 1);
  });
}

Result<void> LuaSandbox::protect(const std::function<void(lua_State*)>& body) {
  // Two pushes: the stack always has LUA_MINSTACK slots free here.
  lua_pushcfunction(state(), &lua_guarded<run_body>);
  lua_pushlightuserdata(state(), const_cast<std::function<void(lua_State*)>*>(&body));
  return call(1, LUA_MULTRET);
}

Result<void> LuaSandbox::call(int arguments, int results) {
  const int function = lua_gettop(state()) - arguments;
  lua_pushcfunction(state(), &LuaSandbox::on_error);
  lua_insert(state(), function);
  out_of_memory_ = false;
  failed_at_ = {};
  const int status = lua_pcall(state(), arguments, results, function);
  lua_remove(state(), function);
  if (status == LUA_OK) return {};
  Error error = error_of(status);
  lua_settop(state(), function - 1);
  return tl::unexpected<Error>(std::move(error));
}

Error LuaSandbox::error_of(int status) {
  const char* text = lua_tostring(state(), -1);
  std::string message = text ? text : "the script failed";
  Place place = failed_at_;
  if (status == LUA_ERRMEM || (status == LUA_ERRERR && out_of_memory_)) {
    message = fmt::format("the script went beyond its memory budget of {}",
                          megabytes(budget_.memory_bytes));
  }
  // "name.lua:12: message": the prefix wins over the running place, since error("…", 2) and
  // syntax errors point elsewhere.
  for (const auto& [name, chunk] : chunks_) {
    if (message.compare(0, name.size() + 1, name + ":") != 0) continue;
    const std::size_t colon = message.find(':', name.size() + 1);
    const std::string digits = message.substr(name.size() + 1, colon - name.size() - 1);
    if (colon == std::string::npos || digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    place = {name, std::stoi(digits)};
    message = message.substr(std::min(message.size(), colon + 2));
    break;
  }
  Error error = make_error(Fault::input, std::move(message));
  if (chunks_.count(place.chunk)) error.diagnostics.front().location = locate(place);
  return error;
}

Location LuaSandbox::locate(const Place& place) const {
  const Chunk& chunk = chunks_.at(place.chunk);
  return line_of(chunk.path, chunk.text, place.line);
}

}  // namespace gpx
