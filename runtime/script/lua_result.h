// Runs as Lua tables. docs/scripts.md documents their fields. Covered by
// tests/script/script_test.cpp.
#pragma once

#include <deque>

#include "runtime/analysis/lua/api.h"
#include "runtime/pipeline.h"
#include "runtime/store/store.h"

namespace gpx::script {

/// Results whose samples scripts see; they live as long as the script.
struct ResultPool {
  std::deque<RunResult> runs;
};

/// Leaves a table of the run on the stack. Its memory counts against the script's budget.
void push_run(lua_State* state, ResultPool& pool, RunResult run);
/// Leaves a line of `gpx.runs()` on the stack.
void push_entry(lua_State* state, const store::RunEntry& entry);

}  // namespace gpx::script
