#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lang/lists.h"
#include "runtime/analysis/lua/sandbox.h"

using namespace gpx;

namespace {

LuaBudget small() {
  LuaBudget budget;
  budget.instructions = 5'000'000;
  budget.memory_bytes = std::size_t{8} << 20;
  budget.seconds = 20;
  budget.printed_bytes = std::size_t{1} << 20;
  return budget;
}

/// The error of a script, or "" if it ran.
std::string error_of(const std::string& text) {
  LuaSandbox sandbox(small());
  const auto done = sandbox.run("folder/attack.lua", text);
  return done ? "" : done.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("a script that computes runs and leaves its result") {
  LuaSandbox sandbox;
  REQUIRE(sandbox.run("ok.lua",
                      "local t = {3, 1, 2} table.sort(t) "
                      "return ('%d-%s'):format(#t, table.concat(t, ',')):upper()"));
  CHECK(std::string(lua_tostring(sandbox.state(), -1)) == "3-1,2,3");
}

TEST_CASE("where instructions are not counted, work in C++ and memory still are") {
  LuaBudget budget = small();
  budget.counted = false;
  LuaSandbox sandbox(budget);
  REQUIRE(sandbox.run("long.lua", "local n = 0 for i = 1, 6000000 do n = n + i end return n"));
  for (const char* text : {"return (''):rep(1 << 60)", "return ('x'):rep(1 << 30)"}) {
    const auto done = sandbox.run("attack.lua", text);
    REQUIRE_FALSE(done);
    CHECK(contains(done.error().diagnostics.front().message, "budget of"));
  }
}

TEST_CASE("nothing that reaches out of the state exists") {
  for (const char* name : {"io",           "os",          "package",        "require",
                           "debug",        "load",        "loadfile",       "loadstring",
                           "dofile",       "coroutine",   "collectgarbage", "setmetatable",
                           "getmetatable", "xpcall",      "warn",           "utf8",
                           "string.dump",  "string.pack", "table.move",     "math.randomseed"}) {
    LuaSandbox sandbox(small());
    REQUIRE(sandbox.run("exists.lua", std::string("return ") + name + " == nil"));
    CHECK_MESSAGE(lua_toboolean(sandbox.state(), -1), std::string(name));
  }
}

TEST_CASE("every attempt to break out or to run on ends as an error that says why") {
  struct Attempt {
    const char* what;
    const char* script;
    const char* error;
  };
  const std::vector<Attempt> attempts = {
      {"read a file", "return io.open('/etc/passwd')", "nil value (global 'io')"},
      {"write a file", "io.output('/tmp/x'):write('x')", "nil value (global 'io')"},
      {"start a process", "os.execute('ls')", "nil value (global 'os')"},
      {"open a socket", "local s = require 'socket'", "nil value (global 'require')"},
      {"load a library", "package.loadlib('libc.so.6', 'system')", "nil value (global 'package')"},
      {"compile text", "load('return 1')()", "nil value (global 'load')"},
      {"run a file", "dofile('/etc/hostname')", "nil value (global 'dofile')"},
      {"use the debugger", "debug.getregistry()", "nil value (global 'debug')"},
      {"dump bytecode", "string.dump(print)", "field 'dump'"},
      {"change a text's methods", "getmetatable('').__index = nil", "global 'getmetatable'"},
      {"leave a finalizer", "setmetatable({}, {__gc = function() while true do end end})",
       "global 'setmetatable'"},
      {"hide in a coroutine", "coroutine.wrap(function() while true do end end)()",
       "global 'coroutine'"},
      {"loop", "while true do end", "budget of 5000000 instructions"},
      {"loop and catch", "while true do pcall(function() while true do end end) end",
       "budget of 5000000 instructions"},
      {"catch in a loop of its own", "local function f() return pcall(f) end while true do f() end",
       "budget of 5000000 instructions"},
      {"take memory by repeating", "return ('x'):rep(1 << 30)", "memory budget of 8 MB"},
      {"take memory by doubling", "local s = 'x' while true do s = s .. s end",
       "memory budget of 8 MB"},
      {"take memory in a table", "local t = {} while true do t[#t + 1] = {} end",
       "memory budget of 8 MB"},
      {"take memory and catch",
       "local t = {} local function more() while true do t[#t + 1] = {} end "
       "end pcall(more) more()",
       "memory budget of 8 MB"},
      {"repeat nothing for long", "return (''):rep(1 << 60)", "budget of 5000000 instructions"},
      {"format wide", "return ('%999999999d'):format(1)", "invalid conversion"},
      {"recurse", "local function f() return 1 + f() end f()", "memory budget of 8 MB"},
      {"match for long", "return ('a'):rep(5000):find('.-.-.-.-.-b')", "this pattern may take"},
      {"substitute for long", "return ('a'):rep(100000):gsub('(.-)(.-)b', '')",
       "this pattern may take"},
      {"nest patterns", "return ('('):rep(300):find(('('):rep(300))", "too many captures"},
      {"a table with a false length",
       "local t = {} for i = 62, 0, -1 do t[1 << i] = 1 end table.insert(t, 1, 0)",
       "the table has too many elements"},
      {"a table that is slow to shift",
       "local t = {} for i = 1, 200000 do t[i] = i end while true do table.insert(t, 1, 0) end",
       "budget of"},
      {"print for ever", "while true do print(('x'):rep(1000)) end", "printed more than 1 MB"},
      {"unpack too much", "local t = {} t[100000000] = 1 return table.unpack(t, 1, 100000000)",
       "too many results to unpack"},
      {"raise a table", "error({})", "an error that is a table"},
      {"raise nothing", "error(nil)", "an error that is a nil"},
      {"raise for ever", "local t <close> = 1", "non-closable value"}};
  for (const Attempt& attempt : attempts) {
    const std::string error = error_of(attempt.script);
    CHECK_MESSAGE(contains(error, attempt.error), (std::string(attempt.what) + ": " + error));
  }
}

TEST_CASE("recursion without end is a stack overflow where memory allows it") {
  LuaSandbox sandbox;
  const auto done = sandbox.run("deep.lua", "local function f() return 1 + f() end f()");
  REQUIRE_FALSE(done);
  CHECK(contains(done.error().diagnostics.front().message, "stack overflow"));
  CHECK(done.error().diagnostics.front().location->line == 1);
}

TEST_CASE("bytecode is refused") {
  CHECK(contains(error_of("\x1bLua"), "attempt to load a binary chunk"));
}

TEST_CASE("deep nesting in a script's text is an error, not a crash") {
  CHECK(contains(error_of("return " + std::string(100000, '(') + "1"), "overflow"));
  CHECK(contains(error_of("x = " + std::string(100000, '{')), "overflow"));
}

TEST_CASE("an error carries the script's path, its line and the line's text") {
  struct Case {
    const char* text;
    int line;
    int column;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"local x\nlocal y = 1\n  return x.field\n", 3, 3, "attempt to index a nil value"},
      {"return 1 +\n", 2, 1, "unexpected symbol near <eof>"},
      {"local function f()\n  error('no good')\nend\nf()", 2, 3, "no good"},
      {"local function f()\n  error('your fault', 2)\nend\nf()", 4, 1, "your fault"},
      {"-- a comment\nerror('bare', 0)", 2, 1, "bare"},
      {"local t = {}\nwhile true do t[#t + 1] = {} end", 2, 1, "memory budget"},
      {"\n\nwhile true do end", 3, 1, "instructions"}};
  for (const Case& one : cases) {
    LuaSandbox sandbox(small());
    const auto done = sandbox.run("some/folder/my.lua", one.text);
    REQUIRE_FALSE(done);
    CHECK(done.error().fault == Fault::input);
    const Diagnostic& diagnostic = done.error().diagnostics.front();
    REQUIRE_MESSAGE(diagnostic.location, std::string(one.text));
    CHECK(diagnostic.location->file == "some/folder/my.lua");
    CHECK_MESSAGE(diagnostic.location->line == one.line, std::string(one.text));
    CHECK_MESSAGE(diagnostic.location->column == one.column, std::string(one.text));
    CHECK_MESSAGE(contains(diagnostic.message, one.message), diagnostic.message);
    CHECK_FALSE(contains(diagnostic.message, "my.lua"));
  }
}

TEST_CASE("an exception of C++ becomes an error value, and what was printed before it stays") {
  LuaSandbox sandbox;
  REQUIRE(sandbox.run("p.lua", "print('a', 1, nil, true)"));
  const auto done =
      sandbox.protect([](lua_State*) { throw std::runtime_error("from the C++ side"); });
  REQUIRE_FALSE(done);
  CHECK(done.error().diagnostics.front().message == "from the C++ side");
  CHECK(sandbox.printed() == std::vector<std::string>{"a\t1\tnil\ttrue"});
}

TEST_CASE("random numbers are the same in every state") {
  std::vector<double> first;
  for (int i = 0; i < 2; ++i) {
    LuaSandbox sandbox;
    REQUIRE(sandbox.run("r.lua", "return math.random()"));
    first.push_back(lua_tonumber(sandbox.state(), -1));
  }
  CHECK(first[0] == first[1]);
}
