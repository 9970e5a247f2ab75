// Every row of runtime/device/facts.def reaches the wire and Lua; JSON:
// tests/report/json_read_test.cpp.
#include "tests/runtime/device_facts.h"

#include <doctest/doctest.h>

#include <set>

#include "runtime/analysis/lua/api.h"
#include "runtime/device/isolated/protocol.h"

namespace gpx {
namespace {

TEST_CASE("a fact has a name of its own, a label and a line of help") {
  std::set<std::string_view> keys, labels;
  for (const Fact& fact : kFacts) {
    CAPTURE(fact.key);
    CHECK(keys.insert(fact.key).second);
    CHECK(labels.insert(fact.label).second);
    CHECK(!fact.label.empty());
    CHECK(!fact.about.empty());
  }
}

TEST_CASE("every fact that is reported is listed, and none that is not") {
  CHECK(reported_facts(test::all_facts()).size() == std::size(kFacts));
  DeviceInfo bare;
  bare.warp_size = bare.instruction_bytes = 0;
  for (const ReportedFact& reported : reported_facts(bare)) {
    CAPTURE(reported.fact->key);
    CHECK((std::holds_alternative<bool>(reported.value) || reported.fact->key == "kind" ||
           reported.fact->key == "bank_widths"));
  }
}

TEST_CASE("every fact crosses the wire to an isolated device") {
  const DeviceInfo sent = test::all_facts();
  const auto hello = protocol::read_hello(protocol::hello(sent));
  REQUIRE(hello.has_value());
  CHECK(hello->device == sent);
}

/// The number, the text's length or the list's, as Lua has it; -1 where there is no such field.
double in_lua(lua_State* state, const Fact& fact) {
  const int type = lua_getfield(state, -1, fact.key.data());
  double value = -1;
  if (type == LUA_TNUMBER) value = lua_tonumber(state, -1);
  if (type == LUA_TBOOLEAN) value = lua_toboolean(state, -1);
  if (type == LUA_TSTRING || type == LUA_TTABLE) value = static_cast<double>(lua_rawlen(state, -1));
  lua_pop(state, 1);
  return value;
}

double expected(const FactValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&value)) return static_cast<double>(text->size());
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return static_cast<double>(std::get<std::vector<double>>(value).size());
}

TEST_CASE("Lua has every fact of a result, and an analysis those that it may see") {
  const DeviceInfo device = test::all_facts();
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(luaL_newstate(), &lua_close);
  for (const FactsFor reader : {FactsFor::results, FactsFor::analysis}) {
    push_device(state.get(), device, reader);
    for (const ReportedFact& reported : reported_facts(device)) {
      CAPTURE(reported.fact->key);
      const bool seen = reader == FactsFor::results || reported.fact->seen;
      CHECK(in_lua(state.get(), *reported.fact) == (seen ? expected(reported.value) : -1));
    }
    lua_pop(state.get(), 1);
  }
}

TEST_CASE("no analysis is told what analyses infer") {
  const std::set<std::string_view> inferred = {
      "l2_bytes",        "max_persisting_l2_bytes", "registers_per_sm", "max_blocks_per_sm",
      "shared_per_sm",   "shared_per_block",        "shared_split",     "bank_widths",
      "memory_bandwidth"};
  for (const Fact& fact : kFacts)
    if (inferred.contains(fact.key)) CHECK_FALSE(fact.seen);
}

}  // namespace
}  // namespace gpx
