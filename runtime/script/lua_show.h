// A Lua value for people: what a typed expression gives. Covered by tests/script/typed_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/analysis/lua/api.h"

namespace gpx::script {

/// The value at `index` as lines: a table with its fields, the tables in it by their size alone.
/// Calls nothing of the script's.
std::vector<std::string> shown(lua_State* state, int index);

}  // namespace gpx::script
