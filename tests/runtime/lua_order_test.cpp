// What a script sees has one order and one name for everything: runtime/analysis/lua/order.h.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/analysis/lua/order.h"
#include "runtime/analysis/lua/sandbox.h"

using namespace gpx;

namespace {

std::string result_of(const std::string& text, bool all = false) {
  LuaSandbox sandbox;
  if (all) open_all_libraries(sandbox.state());
  const auto done = sandbox.run("order.lua", text);
  if (!done) return "error: " + done.error().diagnostics.front().message;
  const char* result = lua_tostring(sandbox.state(), -1);
  return result ? result : "nil";
}

struct Row {
  std::string text;
  std::string expected;
};

}  // namespace

TEST_CASE("pairs and next go by numbers, texts, truth values, then objects as they were made") {
  const std::string walk =
      "local first, second = {}, {} local view = function() end "
      "local t = {[view]='v', [second]='s', b=1, [3]=1, [first]='f', [-1]=1, a=1, [2.5]=1, "
      "[true]=1, [false]=1, aa=1, [1]=1, [print]='p', [string.rep]='r'} "
      "local out = '' ";
  const std::string keys =
      "out = out .. (type(k) == 'string' and k or type(v) == 'string' and v or tostring(k)) .. ' "
      "' ";
  for (const bool all : {false, true}) {
    // The sandbox's string.rep is a closure, made before the script's objects.
    const std::string expected =
        std::string("-1 1 2.5 3 a aa b false true ") + (all ? "f s v p r " : "r f s v p ");
    CHECK(result_of(walk + "for k, v in pairs(t) do " + keys + "end return out", all) == expected);
    CHECK(result_of(walk + "for k, v in next, t do " + keys + "end return out", all) == expected);
  }
}

TEST_CASE("a walk over a table, step by step") {
  const Row rows[] = {
      {"local t, n = {10, 20, 30}, 0 for i, v in pairs(t) do n = n * 100 + i * v end return n",
       "104090"},
      // Fields that are cleared on the way are not come to; what comes to the end is empty.
      {"local t, out = {a=1, b=2, c=3}, '' for k in pairs(t) do t.b = nil out = out .. k end "
       "return out",
       "ac"},
      {"local t = {} for i = 1, 100 do t['k' .. i] = i end "
       "for k in next, t do t[k] = nil end return tostring(next(t))",
       "nil"},
      {"local t = {1, 2, 3} for i in pairs(t) do t[i] = nil end return tostring(next(t))", "nil"},
      // Two walks at once, and one that clears the key that it stands on.
      {"local t, u, out = {a=1, b=1}, {c=1, d=1}, '' "
       "for k in next, t do t[k] = nil for l in next, u do out = out .. k .. l end end return out",
       "acadbcbd"},
      {"return select('#', next({})) .. tostring(next({}))", "1nil"},
      {"local k, v = next({5}) return k .. v", "15"},
      {"return pairs(nil)", "error: bad argument #1 to 'for iterator' (table expected, got nil)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string result = result_of(row.text, true);
    if (row.expected.starts_with("error"))
      CHECK(result.find("table expected, got nil") != std::string::npos);
    else
      CHECK(result == row.expected);
  }
}

TEST_CASE("what has an address has a name in its place") {
  const Row rows[] = {
      {"local t, u = {}, {} return tostring(u) .. tostring(t) .. tostring(u)",
       "table: 1table: 2table: 1"},
      {"return tostring(print) .. ' ' .. tostring(string.rep)",
       "function: print function: string.rep"},
      {"local f = function() end return ('%s %10s %p'):format(f, f, f)",
       "function: 1 function: 1 1"},
      {"return ('%p %p %5.1f %% %s %q'):format('text', 1, 2, {}, 'a')",
       "1 (null)   2.0 % table: 2 \"a\""},
      {"return string.format('%d')", "error: bad argument #2 to 'format' (no value)"},
      {"return string.format('%s')", "error: bad argument #2 to 'format' (no value)"},
      {"return string.format({})",
       "error: bad argument #1 to 'format' (string expected, got table)"},
      {"return tostring(nil) .. tostring(1.0) .. tostring(true)", "nil1.0true"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(result_of(row.text) == row.expected);
  }
  LuaSandbox sandbox;
  REQUIRE(sandbox.run("print.lua", "print({}, print, 'x')"));
  CHECK(sandbox.printed().front() == "table: 1\tfunction: print\tx");
}

TEST_CASE("table.sort sorts, and equal elements come out alike each time") {
  CHECK(result_of("local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 1999 end table.sort(t) "
                  "for i = 2, #t do if t[i] < t[i - 1] then return 'wrong' end end return 'ok'") ==
        "ok");
  // Parts so unequal that Lua takes its pivot from the clock.
  const std::string script =
      "local t = {} for i = 1, 5000 do t[i] = {key = i <= 4000 and i // 2 or 4000 - i % 7, n = i} "
      "end table.sort(t, function(a, b) return a.key > b.key end) "
      "local h = 0 for i = 1, #t do h = (h * 31 + t[i].n) % 1000000007 end return h";
  CHECK(result_of(script) == result_of(script));
  CHECK(result_of("table.sort({3, 1, 'x'})").find("attempt to compare") != std::string::npos);
  CHECK(result_of("table.sort({1,2,3,4,5}, function() return true end)") ==
        "error: invalid order function for sorting");
}

TEST_CASE("two states with other seeds and addresses in one process see the same") {
  const std::string script =
      "local t, out = {}, '' for i = 1, 50 do t['k' .. i * 37 % 101] = i t[{}] = i end "
      "for k, v in pairs(t) do out = out .. v .. ' ' end return out";
  std::vector<std::unique_ptr<LuaSandbox>> others;
  const std::string first = result_of(script);
  for (int i = 0; i < 20; ++i) {
    others.push_back(std::make_unique<LuaSandbox>());
    CHECK(result_of(script) == first);
  }
}
