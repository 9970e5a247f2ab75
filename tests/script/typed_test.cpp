#include <doctest/doctest.h>

#include <algorithm>

#include "support.h"

using namespace gpx;
using namespace gpx::script;
using gpx::cli::contains;

namespace {

/// What is printed, then the error if there is one.
struct Typing {
  TestHost host;
  std::string printed;
  Options options = [this] {
    Options made;
    made.device = "k20";
    made.budget.instructions = 1'000'000;
    made.budget.on_print = [this](const std::string& line) { printed += line + '\n'; };
    return made;
  }();
  TypedScript script{host, kPaths, options};

  std::string type(const std::string& text) {
    printed.clear();
    const auto done = script.run(Source("<lua>", text));
    return done ? printed : printed + done.error().diagnostics.front().message;
  }
};

}  // namespace

TEST_CASE("an expression prints its values, a table its fields") {
  Typing typing;
  const struct {
    const char* text;
    const char* shows;
  } rows[] = {
      {"1 + 1", "2\n"},
      {"1, 'a', nil, true", "1\na\nnil\ntrue\n"},
      {"{}", "{}\n"},
      {"{1, 'a\\n', x = {y = 2}}", "1 = 1\n2 = \"a\\n\"\nx = {y = 2}\n"},
      {"{{{{}, 1}}}", "1 = {{2 fields}}\n"},
      {"print", "function\n"},
      {"x = 3", ""},
      {"x", "3\n"},
      {"local y = 4", ""},
      {"y", "nil\n"},
      {"error 'no'", "no"},
      {"x y", "syntax error near 'y'"},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    CHECK(typing.type(row.text) == row.shows);
  }
  CHECK(
      typing.type("local t = {} for i = 1, 100 do t[i] = i end return t").ends_with("… 60 more\n"));
}

TEST_CASE("a text that is not at its end goes on") {
  Typing typing;
  CHECK(typing.script.is_unfinished("for i = 1, 2 do"));
  CHECK(typing.script.is_unfinished("f("));
  CHECK_FALSE(typing.script.is_unfinished("it.name"));
  CHECK_FALSE(typing.script.is_unfinished("x = = 2"));
}

TEST_CASE("a spent budget is renewed, and an endless table is cut") {
  Typing typing;
  CHECK(contains(typing.type("while true do end"), "budget"));
  CHECK(typing.type("2") == "2\n");
  CHECK(contains(typing.type("t = {} t.t = t return t"), "t = {t = {1 field}}\n"));
}

TEST_CASE("a run is a global, with everything that scripts see of it") {
  Typing typing;
  auto run = typing.host.run(Source("a", "threads 32 < load unique(128B) >"), {});
  REQUIRE(run);
  REQUIRE(typing.script.set("it", *run));
  CHECK(typing.type("it.name, #it.samples") == "line1\n1\n");
  CHECK(contains(typing.type("it"), "samples = samples of 1 rows: "));
}

TEST_CASE("the names that may follow a value are those of its fields and methods") {
  Typing typing;
  using Names = std::vector<std::string>;
  typing.type("mine = {b = 1, a = {deep = 2}, ['not one'] = 3, 4}");
  CHECK(typing.script.names("mine") == Names{"a", "b"});
  CHECK(typing.script.names("mine.a") == Names{"deep"});
  CHECK(typing.script.names("mine.b.c") == Names{});
  CHECK(typing.script.names("nothing") == Names{});
  const Names globals = typing.script.names("");
  for (const char* name : {"mine", "gpx", "stats", "print"})
    CHECK_MESSAGE(std::ranges::count(globals, name) == 1, name);
  typing.type("run = gpx.run('threads 32 < load unique(128B) >')");
  const Names methods = typing.script.names("run.samples");
  for (const char* name : {"where", "group", "column"})
    CHECK_MESSAGE(std::ranges::count(methods, name) == 1, name);
}
