#include "runtime/analysis/lua/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/diagnostic.h"
#include "lang/lists.h"
#include "runtime/analysis/lua/order.h"

namespace gpx {

void only_fields(lua_State* state, int index, const char* call,
                 const std::vector<std::string>& known) {
  push_ordered_keys(state, index);
  for_each_element(state, [&] {
    if (lua_type(state, -1) != LUA_TSTRING) luaL_error(state, "%s: fields have names", call);
    const std::string field = lua_tostring(state, -1);
    if (!contains(known, field)) {
      const auto near = nearest(field, known);
      const std::string hint = near ? "did you mean '" + *near + "'?"
                                    : fmt::format("there are {}", fmt::join(known, ", "));
      luaL_error(state, "%s: unknown field '%s'; %s", call, field.c_str(), hint.c_str());
    }
  });
  lua_pop(state, 1);
}

}  // namespace gpx
