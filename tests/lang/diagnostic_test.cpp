// Errors as values and as text: lang/diagnostic.h, lang/problems.h.
#include "lang/diagnostic.h"

#include <doctest/doctest.h>

#include "lang/problems.h"

using namespace gpx;

TEST_CASE("an error shows its place, the line, a caret and the hint") {
  const Source source("a.gpx", "device k20\nrepeet 3\n");
  const Error error = make_error(Fault::input, source, {11, 17}, "unknown clause 'repeet'",
                                 "did you mean 'repeat'?");
  CHECK(render(error) ==
        "a.gpx:2:1: error: unknown clause 'repeet'\n"
        " 2 | repeet 3\n"
        "   | ^~~~~~\n"
        "  hint: did you mean 'repeat'?\n");
}

TEST_CASE("an error without a place is one line") {
  CHECK(render(make_error(Fault::device, "no driver")) == "error: no driver\n");
  Diagnostic whole{"too large", Location{"a.gpx", 0, 0, 0, {}}, {}};
  CHECK(render(whole) == "a.gpx: error: too large\n");
}

TEST_CASE("the caret stands under its character, after tabs and after letters of many bytes") {
  const Source source("a.gpx", "\tx \xc3\xa9\xc3\xa9 bad\n");
  CHECK(render(make_error(Fault::input, source, {8, 11}, "m")) ==
        "a.gpx:1:9: error: m\n 1 | \tx \xc3\xa9\xc3\xa9 bad\n   | \t     ^~~\n");
}

TEST_CASE("a long line is cut to what surrounds the caret") {
  const Source source("a.gpx", std::string(5000, 'a') + "!" + std::string(5000, 'b'));
  const std::string text = render(make_error(Fault::input, source, {5000, 5001}, "m"));
  CHECK(text.size() < 400);
  CHECK(text.find("aaa!bbb") != std::string::npos);
}

TEST_CASE("control characters and bytes that are no text do not reach the terminal") {
  const Source source("a\x1b.gpx", "x\x1b[31m\xff y");
  const std::string text = render(make_error(Fault::input, source, {0, 1}, "m \x07"));
  CHECK(text == "a?.gpx:1:1: error: m ?\n 1 | x?[31m? y\n   | ^\n");
}

TEST_CASE("colour adds escapes and nothing else") {
  const Source source("a.gpx", "repeet 3");
  const Error error = make_error(Fault::input, source, {0, 6}, "message", "hint");
  const std::string coloured = render(error, true);
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  CHECK(plain != coloured);
  CHECK(plain == render(error));
}

TEST_CASE("the nearest name is a likely slip, or none") {
  const std::vector<std::string> names = {"unique", "merge", "stride", "n", "KB", "threads"};
  CHECK(nearest("uniqe", names) == "unique");
  CHECK(nearest("mrege", names) == "merge");
  CHECK(nearest("Stride", names) == "stride");
  CHECK(nearest("kb", names) == "KB");
  CHECK(nearest("theads", names) == "threads");
  CHECK_FALSE(nearest("m", names));       // One letter for another is no slip.
  CHECK_FALSE(nearest("unique", names));  // Nothing to suggest: it is the name.
  CHECK_FALSE(nearest("banana", names));
  CHECK_FALSE(nearest("", names));
  CHECK_FALSE(nearest(std::string(100000, 'x'), names));
}

TEST_CASE("problems come in the order of the text, one at a place, and do not flood") {
  const Source source("a.gpx", std::string(3000, 'x'));
  Problems problems(source);
  CHECK(problems.empty());
  for (std::uint32_t i = 1500; i-- > 0;) problems.add({i, i + 1}, "p" + std::to_string(i));
  problems.add({1499, 1500}, "again");
  const Error error = problems.error();
  REQUIRE(error.diagnostics.size() == 21);
  CHECK(error.diagnostics[0].location->column < error.diagnostics[19].location->column);
  CHECK(error.diagnostics.back().message == "and 1480 more errors");
}

TEST_CASE("the further lines of a message stand below it") {
  Diagnostic diagnostic;
  diagnostic.message = "the timed region is refused\nBRA 0x10\nEXIT\x1b";
  CHECK(render(diagnostic) == "error: the timed region is refused\n    BRA 0x10\n    EXIT?\n");
}

TEST_CASE("a number stands with its noun") {
  CHECK(plural(1, "round") == "1 round");
  CHECK(plural(0, "warp") == "0 warps");
  CHECK(plural(1234567, "point") == "1234567 points");
  CHECK(plural(1.5, "round") == "1.5 rounds");
}

TEST_CASE("a warning is laid out as an error is") {
  const Source source("a.gpx", "sweep n 1..3\n");
  CHECK(render_warning({"unused", source.locate({6, 7}), {}}) ==
        "a.gpx:1:7: warning: unused\n 1 | sweep n 1..3\n   |       ^\n");
}
