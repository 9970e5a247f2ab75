// What a driver reports about a device, as a table. Interface: api.h. Covered by
// tests/runtime/analysis_test.cpp and device_facts_test.cpp.
#include "runtime/analysis/lua/api.h"

namespace gpx {
namespace {

void push_fact(lua_State* state, bool value) {
  lua_pushboolean(state, value);
}
void push_fact(lua_State* state, const std::string& text) {
  lua_pushlstring(state, text.data(), text.size());
}
template <typename Number>
void push_fact(lua_State* state, const Number& number) {
  lua_pushnumber(state, static_cast<lua_Number>(number));
}
void push_fact(lua_State* state, const std::vector<std::uint32_t>& list) {
  lua_newtable(state);
  for (std::size_t i = 0; i < list.size(); ++i) {
    push_fact(state, list[i]);
    lua_rawseti(state, -2, static_cast<lua_Integer>(i + 1));
  }
}

}  // namespace

void push_device(lua_State* state, const DeviceInfo& device, FactsFor reader) {
  lua_newtable(state);
  for_each_fact(device, [&](const Fact& fact, const auto& value) {
    if (reader == FactsFor::analysis && !fact.seen) return;
    push_fact(state, value);
    lua_setfield(state, -2, fact.key.data());
  });
}

}  // namespace gpx
