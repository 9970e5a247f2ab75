// How documents are read and compared: tests/docs/document.h.
#include "tests/docs/document.h"

#include <doctest/doctest.h>

namespace gpx::docs {
namespace {

TEST_CASE("fenced blocks have a language, words, a line and commands with their output") {
  const Document document = parse_document("x.md",
                                           "# Title\n"
                                           "Type `gpx run` and `gpx list`:\n"
                                           "```console gpu\n"
                                           "$ gpx run a.gpx \\\n"
                                           "    --device cuda\n"
                                           "one\n"
                                           "$ echo $?\n"
                                           "0\n"
                                           "```\n"
                                           "```gpx a.gpx\n"
                                           "< load unique(128B) >\n"
                                           "```\n");
  REQUIRE(document.spans.size() == 2);
  CHECK(document.spans[1].text == "gpx list");
  REQUIRE(document.blocks.size() == 2);
  CHECK(document.blocks[0].language == "console");
  CHECK(document.blocks[0].has("gpu"));
  CHECK(document.blocks[0].line == 3);
  CHECK(document.blocks[1].file() == "a.gpx");
  const auto commands = commands_of(document.blocks[0]);
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].text == "gpx run a.gpx \\\n    --device cuda");
  CHECK(commands[0].output == Lines{"one"});
  CHECK(commands[1].line == 7);
}

TEST_CASE("an ellipsis stands for lines, or for a part of a line") {
  CHECK(matches({"a", "b"}, {"a", "b"}));
  CHECK(matches({"a  "}, {"a"}));
  CHECK_FALSE(matches({"a"}, {"a", "b"}));
  CHECK_FALSE(matches({"a", "b"}, {"a"}));
  CHECK(matches({"a", "…"}, {"a"}));
  CHECK(matches({"…", "b", "…"}, {"x", "b", "b", "y"}));
  CHECK_FALSE(matches({"…", "c"}, {"a", "b"}));
  CHECK(matches({"took … s"}, {"took 1.5 s"}));
  CHECK(matches({"a…b…c"}, {"aXbYbc"}));
  CHECK_FALSE(matches({"took … s"}, {"took 1.5 m"}));
  CHECK_FALSE(matches({"ab…b"}, {"ab"}));
}

TEST_CASE("a rebased output keeps the ellipses that still fit") {
  CHECK(rebased({"old", "took … s"}, {"new", "took 2 s"}) == Lines{"new", "took … s"});
  CHECK(rebased({"a", "…", "c"}, {"A", "B1", "B2", "C"}) == Lines{"A", "…", "C"});
  CHECK(rebased({"a", "…", "mid 1", "end", "…", "z"}, {"A", "x", "mid 2", "end", "y", "Z"}) ==
        Lines{"A", "…", "mid 2", "end", "…", "Z"});
  CHECK(rebased({"a", "…"}, {"a", "b"}) == Lines{"a", "…"});
  CHECK(rebased({}, {"a"}) == Lines{"a"});
}

}  // namespace
}  // namespace gpx::docs
