// Attempts to get out of the sandbox of `gpx lua`, or to keep it from ending. Each must fail with a
// reason; none may crash or hang. tests/runtime/lua_test.cpp has those on Lua's own libraries.
#include "support.h"

using namespace gpx;
using namespace gpx::script;
using gpx::cli::contains;
using gpx::cli::TemporaryFolder;

namespace {

Options small() {
  Options options;
  options.budget.instructions = 20'000'000;
  options.budget.memory_bytes = std::size_t{16} << 20;
  options.budget.seconds = 20;
  return options;
}

struct Attempt {
  const char* what;
  const char* script;
  const char* error;
};

void check(const std::vector<Attempt>& attempts, const std::string& path = "folder/mine.lua") {
  for (const Attempt& attempt : attempts) {
    const Ran ran = run(attempt.script, small(), path);
    CHECK_MESSAGE(contains(ran.error, attempt.error),
                  (std::string(attempt.what) + ": " + ran.error + ran.printed));
    CHECK_MESSAGE(!contains(ran.error + ran.printed, "classified"), std::string(attempt.what));
  }
}

}  // namespace

TEST_CASE("a script cannot reach files, processes or the network") {
  check({{"read a file", "print(io.open('/etc/passwd'):read('a'))", "global 'io'"},
         {"write a file", "io.output('/tmp/x'):write('x')", "global 'io'"},
         {"remove a file", "os.remove('/tmp/x')", "global 'os'"},
         {"see the environment", "print(os.getenv('HOME'))", "global 'os'"},
         {"start a process", "os.execute('ls')", "global 'os'"},
         {"read a process", "io.popen('ls')", "global 'io'"},
         {"open a socket", "require('socket').tcp()", "global 'require'"},
         {"load a library", "package.loadlib('libc.so.6', 'system')", "global 'package'"},
         {"find the loader in a module", "use('package').loadlib('libc.so.6', '*')",
          "no analysis is named 'package'"},
         {"use a file as a module", "use('../../../../etc/passwd')", "no analysis is named"},
         {"run text as a script", "load('return 1')()", "global 'load'"},
         {"run a file as a script", "dofile('/etc/passwd')", "global 'dofile'"}});
}

TEST_CASE("a script cannot have files read for it that do not lie beside it") {
  const TemporaryFolder folder;
  folder.write("secret.gpx", "classified one\n");
  folder.write("secret.lua", "classified two\n");
  folder.write("scripts/mine.lua", "");
  folder.write("scripts/other.txt", "classified three\n");
  folder.write("scripts/mine.cu", "#include \"../secret.lua\"\n__global__ void f() {}\n");
  const std::string library = "is no kernel of the library";
  std::filesystem::create_symlink(folder.path("secret.gpx"), folder.path("scripts/link.gpx"));
  std::filesystem::create_symlink(folder.path("secret.lua"), folder.path("scripts/link.lua"));
  const std::string outside = "in the script's folder or beneath it";
  const std::string device =
      "gpx.run('threads 32 < load unique(128B) >', {device = '" + folder.path("secret.lua") + "'})";
  const std::string clause = "gpx.run [[experiment e { device \"" + folder.path("secret.lua") +
                             "\" threads 32 < load unique(128B) > }]]";
  check({{"an experiment above", "gpx.run_file('../secret.gpx')", outside.c_str()},
         {"an absolute path", "gpx.run_file('/etc/passwd')", outside.c_str()},
         {"a link out", "gpx.run_file('link.gpx')", outside.c_str()},
         {"a file of another kind", "gpx.run_file('other.txt')", outside.c_str()},
         {"a file that is not there", "gpx.run_file('../nothing.gpx')", outside.c_str()},
         {"a name with an end in it", "gpx.run_file('../secret.gpx\\0.gpx')", outside.c_str()},
         {"a device file", device.c_str(), outside.c_str()},
         {"a device link", "gpx.run('threads 32 < load unique(128B) >', {device = 'link.lua'})",
          outside.c_str()},
         {"an analysis above",
          "gpx.run [[experiment e { threads 32 < load unique(128B) > analyze \"../secret.lua\" }]]",
          outside.c_str()},
         {"an analysis elsewhere",
          "gpx.run [[experiment e { threads 32 < load unique(128B) > analyze \"/etc/passwd\" }]]",
          outside.c_str()},
         {"a kernel that includes",
          "gpx.run [[experiment e { kernel k from \"mine.cu\" entry f() < run k > }]]",
          library.c_str()},
         {"a kernel elsewhere",
          "gpx.run [[experiment e { kernel k from \"/etc/passwd\" entry f() < run k > }]]",
          library.c_str()},
         {"a kernel above",
          "gpx.run [[experiment e { kernel k from \"../secret.lua\" entry f() < run k > }]]",
          library.c_str()},
         {"an analysis by a link",
          "gpx.run [[experiment e { threads 32 < load unique(128B) > analyze \"link.lua\" }]]",
          outside.c_str()}},
        folder.path("scripts/mine.lua"));
  const std::string error = run(clause, small(), folder.path("scripts/mine.lua")).error;
  CHECK_MESSAGE(!error.empty(), error);
  CHECK_FALSE(contains(error, "classified two"));
}

TEST_CASE("a script cannot run on, nor take all memory") {
  check(
      {{"loop", "while true do end", "budget of"},
       {"loop and catch", "while true do pcall(function() while true do end end) end", "budget of"},
       {"loop of runs",
        "while true do pcall(gpx.run, 'threads 32 < load unique(128B) > device nowhere') end",
        "budget of"},
       {"loop in a pattern", "print(('a'):rep(5000):find('.-.-.-.-.-b'))", "this pattern may take"},
       {"loop in a substitution", "print(('a'):rep(100000):gsub('(.-)(.-)b', ''))",
        "this pattern may take"},
       {"loop in a comparison",
        "local t = {} for i = 1, 200000 do t[i] = i end while true do table.sort(t) end",
        "budget of"},
       {"repeat a text", "return ('x'):rep(1 << 30)", "memory budget"},
       {"repeat nothing", "return (''):rep(1 << 60)", "budget of"},
       {"double a text", "local s = 'x' while true do s = s .. s end", "memory budget"},
       {"fill a table", "local t = {} while true do t[#t + 1] = {} end", "memory budget"},
       {"keep samples", "local t = {} while true do t[#t + 1] = gpx.load '7' end", "budget of"},
       {"list for ever", "while true do gpx.runs { limit = 1000 } end", "budget of"},
       {"recurse", "local function f() return 1 + f() end f()", "memory budget"},
       {"recurse in C", "local s = 'x' for i = 1, 300 do s = '(' .. s end print(s:find(s))",
        "too many captures"},
       {"recurse through a sort",
        "local function f() table.sort({3, 2, 1}, function(a, b) f() return a < b end) end f()",
        "C stack overflow"},
       {"print for ever", "while true do print(('x'):rep(1000)) end", "printed more than"},
       {"recurse in the parser", "gpx.run(('('):rep(100000))", "gpx.run:1:"}});
}

TEST_CASE("a script cannot change what others stand on, or hide from its budget") {
  check(
      {{"a text's methods", "getmetatable('').__index = nil", "global 'getmetatable'"},
       {"samples' methods", "getmetatable(gpx.load('7').samples).__index = nil",
        "global 'getmetatable'"},
       {"a finalizer", "setmetatable({}, {__gc = function() while true do end end})",
        "global 'setmetatable'"},
       {"a coroutine", "coroutine.wrap(function() while true do end end)()", "global 'coroutine'"},
       {"the hook", "debug.sethook()", "global 'debug'"},
       {"the registry", "print(debug.getregistry())", "global 'debug'"},
       {"the collector", "collectgarbage('stop')", "global 'collectgarbage'"},
       {"an error object", "local ok, e = pcall(gpx.run, 'x') e.traceback()", "field 'traceback'"},
       {"an error that is a table", "error(setmetatable)", "an error that is a nil"},
       {"bytecode", "local f = string.dump(print)", "field 'dump'"},
       {"a handler after the budget", "xpcall(function() while true do end end, print)",
        "global 'xpcall'"},
       {"samples of something else", "gpx.load('7').samples.column({}, 'latency')",
        "bad argument #1"},
       {"a closing value", "local t <close> = 1", "non-closable value"}});
  CHECK(contains(run("\x1bLua\x54", small()).error, "attempt to load a binary chunk"));
}
