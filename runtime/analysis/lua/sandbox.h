// LuaSandbox: one Lua 5.4 state that can compute and nothing else.
//
// No files, processes, network, bytecode, debug library, coroutines or metatables; budgets for
// instructions, memory, time and printed text. An error is a value with the script's file and line.
// Nothing that a script can see depends on addresses or on Lua's random seed (order.h).
// Lua is the C++ build: its errors are exceptions, so destructors run when a script fails.
// Covered by tests/runtime/lua_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <lua.hpp>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "codegen/confined/confined.h"
#include "lang/diagnostic.h"

namespace gpx {

struct LuaBudget {
  std::uint64_t instructions = 1'000'000'000;
  /// Whether instructions are counted: the hook that does it makes Lua take 2.5 times as long.
  /// Without it the time budget ends a script, by its process.
  bool counted = true;
  std::size_t memory_bytes = std::size_t{256} << 20;
  double seconds = 60;  ///< Of the processor: ends what is slow in few instructions; far above any
                        ///< honest script.
  std::size_t printed_bytes = std::size_t{1} << 20;
  const std::atomic<bool>* stop = nullptr;  ///< Set: the script ends with the error "interrupted".
  /// Gets each printed line at once; absent: they are kept for printed().
  std::function<void(const std::string&)> on_print = {};

  /// For scripts that the user trusts.
  static LuaBudget unlimited();
};

class LuaSandbox {
 public:
  explicit LuaSandbox(LuaBudget budget = {});
  ~LuaSandbox();
  LuaSandbox(const LuaSandbox&) = delete;
  LuaSandbox& operator=(const LuaSandbox&) = delete;

  lua_State* state() const { return state_.get(); }

  /// Runs the text of a script and leaves its one result on the stack. `path` is how errors call
  /// it.
  Result<void> run(const std::string& path, const std::string& text);
  /// lua_call with errors as values: function and arguments are on the stack.
  Result<void> call(int arguments, int results);
  /// Calls `body` as a protected C function, for API calls that may run out of memory.
  Result<void> protect(const std::function<void(lua_State*)>& body);

  const std::vector<std::string>& printed() const { return printed_; }

  /// How Lua's messages call a script.
  static std::string short_name(const std::string& path);

  // For functions that are called from Lua.

  static LuaSandbox& of(lua_State* state);
  /// Compiles text (never bytecode) and leaves the function on the stack; raises a Lua error.
  void load(lua_State* state, const std::string& path, const std::string& text);
  /// Counts work done in C++ against the instruction budget; raises a Lua error beyond it.
  void charge(lua_State* state, double units);
  /// Counts memory outside the Lua heap; raises a Lua error beyond the budget.
  void charge_memory(lua_State* state, std::size_t bytes);
  void print(lua_State* state, std::string line);
  /// Work that the script waited for does not count against its time.
  void excuse(double seconds) { end_ += seconds; }
  /// That this thread took: the clock of all its budgets.
  static double processor_seconds();
  /// Raises the budgets for instructions and time to these, counted from the beginning.
  void raise(std::uint64_t instructions, double seconds);
  /// Instructions, time and printed text count from now on, also after a budget was spent.
  void renew();

 private:
  struct Place {
    std::string chunk;
    int line = 0;
  };
  struct Chunk {
    std::string path;
    std::string text;
  };
  struct Close {
    void operator()(lua_State* state) const { lua_close(state); }
  };

  static void place_for(void* self, confined::Place& place);
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  /// Instructions are counted from now on, where the budget has them counted.
  void count();
  static void count_hook(lua_State* state, lua_Debug* activation);
  static int on_error(lua_State* state);
  void check_budget(lua_State* state);
  Place running_place() const;
  Error error_of(int status);
  Location locate(const Place& place) const;

  LuaBudget budget_;
  double end_;  ///< By processor_seconds().
  std::uint64_t used_instructions_ = 0;
  std::size_t used_memory_ = 0;
  std::uint64_t allocations_ = 0;
  std::size_t printed_bytes_ = 0;
  std::vector<std::string> printed_;
  std::map<std::string, Chunk> chunks_;  ///< By the short name that Lua's messages use.
  Place failed_at_;
  bool out_of_memory_ = false;
  std::unique_ptr<lua_State, Close> state_;  ///< Last: closing it still counts memory.
};

/// Seconds that a sandbox has to end a script by itself, before its process is ended.
constexpr double kSandboxGrace = 0.5;

/// The error of a script whose process was ended there: its text is at `path`, where that is known.
Error late_script(const std::string& path, const std::string& text, const confined::Place& place);

/// "attempt to index a nil value (global 'io')": what of Lua's own a confined script lacks.
std::optional<std::string> missing_library(const std::string& message);

/// Opens the restricted base, math, string and table libraries (runtime/analysis/lua/library.cpp).
void open_safe_libraries(lua_State* state);
/// All of Lua's libraries, files and processes among them; only `print` stays the sandbox's.
void open_all_libraries(lua_State* state);

/// Wraps a function for Lua so that a C++ exception (out of memory) becomes a Lua error.
template <int (*function)(lua_State*)>
int lua_guarded(lua_State* state) {
  try {
    return function(state);
  } catch (const std::exception& error) {
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    lua_pushstring(state, memory ? "the script ran out of memory" : error.what());
  }
  return lua_error(state);
}

}  // namespace gpx
