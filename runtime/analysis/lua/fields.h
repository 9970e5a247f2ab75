// A table as an argument: which fields it may have. Covered by tests/script/script_test.cpp and
// tests/runtime/analysis_test.cpp.
#pragma once

#include <lua.hpp>
#include <string>
#include <vector>

namespace gpx {

/// An error of Lua where the table at `index` has another field than these, of several the first
/// in the defined order. `call` begins the message: "plot".
void only_fields(lua_State* state, int index, const char* call,
                 const std::vector<std::string>& known);

}  // namespace gpx
