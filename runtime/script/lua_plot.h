// `gpx.plot{…}`: curves as text. docs/scripts.md documents it. Covered by
// tests/script/script_test.cpp.
#pragma once

#include "runtime/analysis/lua/api.h"

namespace gpx::script {

/// The function: a table in, the drawn text out.
int plot(lua_State* state);

}  // namespace gpx::script
