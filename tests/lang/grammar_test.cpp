// The grammar beyond the goldens: limits, odd texts, unfinished input.
#include "lang/grammar.h"

#include <doctest/doctest.h>

#include "lang/language.h"
#include "lang/utf8.h"

using namespace gpx;

namespace {

/// The first message, with its place; "" where the text parses.
std::string first_error(const std::string& text) {
  const auto ast = parse(Source("t", text));
  if (ast) return {};
  const Diagnostic& first = ast.error().diagnostics.at(0);
  return std::to_string(first.location->line) + ":" + std::to_string(first.location->column) + " " +
         first.message;
}

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("nesting is bounded, with an error instead of an overflow") {
  const auto nested = [](int depth) {
    return "threads " + times(depth, "(") + "1" + times(depth, ")") + " < load broadcast >";
  };
  CHECK(first_error(nested(99)) == "");
  CHECK(first_error(nested(100000)) == "1:109 nested more than 100 deep");
  CHECK(first_error("param a = " + times(100000, "not ") + "true").find("nested") !=
        std::string::npos);
  CHECK(first_error("param a = " + times(100000, "-") + "1").find("nested") != std::string::npos);
  CHECK(first_error("param a = " + times(100000, "2^") + "1").find("nested") != std::string::npos);
  CHECK(first_error("param a = " + times(100000, "min(")).find("nested") != std::string::npos);
  CHECK(first_error("param a = " + times(100000, "1+") + "1") ==
        "1:11 an expression of more than 1000 operands");
  CHECK(first_error("param a = " + times(900, "1+") + "1") == "");
}

TEST_CASE("blocks nest to a limit, closed or not") {
  const auto nested = [](int depth, const std::string& head, const std::string& close) {
    return "< " + times(depth, head + " { ") + times(depth, close) + " >";
  };
  for (const char* head : {"when lane == 0", "while lane == 0", "diverge lane over 1..1"}) {
    INFO(head);
    CHECK(first_error(nested(100, head, "}")) == "");
    for (const char* close : {"}", "}\n", ""})
      CHECK(first_error(nested(10000, head, close)).find("nested more than 100 deep") !=
            std::string::npos);
  }
  const auto chained = [](int length) {
    return "< when lane == 0 { }" + times(length, " else when lane == 1 { }") + " >";
  };
  CHECK(first_error(chained(99)) == "");
  CHECK(first_error(chained(10000)).find("nested more than 100 deep") != std::string::npos);
  CHECK(first_error("experiment a {" + times(10000, "measure m {")).find("1:26 expected") == 0);
}

TEST_CASE("a '<' opens a region where something timed follows, else it compares") {
  const std::pair<const char*, bool> table[] = {
      {"flush if a < load broadcast >", true},
      {"flush if a < op x3 >", true},
      {"flush if a < op x n chain >", true},
      {"flush if a < op chain >", true},
      {"flush if a < add.u32; add.u32 >", true},
      {"flush if a < op; op >", true},
      {"flush if a < op >", true},
      {"flush if a < b = 3 >", true},
      {"flush if a < when lane > 3 { } >", true},
      {"flush if a < sync; stamp >", true},
      {"flush if a < >", true},
      {"flush if a < b < sync >", false},
      {"flush if a < b.c < sync >", false},
      {"flush if a < b and c < sync >", false},
      {"flush if (a < b) < sync >", false},
      {"flush if a < b; < sync >", false},
      {"flush if a < b; threads 3 < sync >", false},
      {"flush if a < b\n", false},
  };
  for (const auto& [text, region] : table) {
    const auto& shown = text;
    INFO(shown);
    const auto ast = parse(Source("t", text));
    if (!ast) FAIL(render(ast.error()));
    const auto& line = std::get<ast::Block>(ast->items.at(0));
    const auto& flush = std::get<ast::Flush>(line.statements.at(0).node);
    CHECK((flush.condition->kind == Expr::Kind::name) == region);
  }
}

TEST_CASE("what is no text is refused at its first bad byte") {
  CHECK(first_error(std::string("threads 3 \0 < load broadcast >", 30)) ==
        "1:11 not a text: control character 0x00");
  CHECK(first_error("# \xff\xfe") == "1:3 not a text: byte 0xff is not UTF-8");
  CHECK(first_error("# caf\xc3\xa9 \xe2\x82\xac\n") == "");
  CHECK(first_error(std::string(2 << 20, '#')).find("0:0 the text has 2097152 bytes") == 0);
}

TEST_CASE("UTF-8 is checked as RFC 3629 says") {
  CHECK(utf8_length("a", 0) == 1);
  CHECK(utf8_length("\xc3\xa9", 0) == 2);
  CHECK(utf8_length("\xe2\x82\xac", 0) == 3);
  CHECK(utf8_length("\xf0\x9f\x98\x80", 0) == 4);
  for (const char* bad : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    CHECK(utf8_length(bad, 0) == 0);
}

TEST_CASE("ends of lines may be CRLF, a mark may open the text, the last line may be open") {
  CHECK(first_error("experiment a {\r\n  threads 3 # c\r\n  < load broadcast >\r\n}\r\n") == "");
  CHECK(first_error("\xef\xbb\xbfthreads 3 < load broadcast >\n") == "");
  CHECK(first_error("threads 3 < load broadcast >") == "");
  CHECK(first_error("") == "");
  CHECK(first_error("\n\n  # only a comment") == "");
}

TEST_CASE("a file of errors is reported in part, with the number of the others") {
  const auto ast = parse(Source("t", times(5000, "x\n")));
  REQUIRE_FALSE(ast.has_value());
  CHECK(ast.error().diagnostics.size() == 21);
  CHECK(ast.error().diagnostics.back().message == "and 4980 more errors");
}

TEST_CASE("syntax errors and errors of meaning are reported together") {
  const auto ast = parse(Source("t",
                                "experiment a {\n  repeet 3\n  < load unique(128) >\n}\n"
                                "sweep n 3..1 < load broadcast >\n"));
  REQUIRE_FALSE(ast.has_value());
  CHECK(ast.error().diagnostics.size() == 3);
}

TEST_CASE("unfinished input is told from wrong input") {
  using C = Completeness;
  const std::pair<std::string, C> table[] = {
      {"", C::complete},
      {"# a comment", C::complete},
      {"threads 32 < load broadcast >", C::complete},
      {"experiment a {", C::incomplete},
      {"experiment a {\n  sweep n 1..3", C::incomplete},
      {"experiment a {\n  sweep n 1..3\n  <", C::incomplete},
      {"experiment a {\n  < load broadcast >\n", C::incomplete},
      {"experiment a {\n  < load broadcast >\n}", C::complete},
      {"sweep n 1..3 <", C::incomplete},
      {"sweep n 1..3 < load broadcast", C::incomplete},
      {"sweep n in [1, 2", C::incomplete},
      {"sweep n 1..3,", C::incomplete},
      {"threads (3 + ", C::incomplete},
      {"experiment a {\n  measure m {", C::incomplete},
      {"experiment a {\n  measure m { < sync >", C::incomplete},
      {"< when lane == 0 {", C::incomplete},
      {"< when lane == 0 {\n  sync\n} else {", C::incomplete},
      {"array a : global[1KB", C::incomplete},
      {"< whn lane == 0 {", C::wrong},
      {"threads 3 +", C::wrong},
      {"sweep n 1..", C::wrong},
      {"swep n 1..3 < load broadcast >", C::wrong},
      {"experiment a {\n  swep n", C::wrong},
      {"experiment a {\n  sweep n", C::wrong},
      {"experiment a \"title", C::wrong},
      {"}", C::wrong},
  };
  for (const auto& [text, expected] : table) {
    const auto& shown = text;
    INFO(shown);
    CHECK(completeness(text) == expected);
  }
}

TEST_CASE("a setting is a name and a value") {
  CHECK(parse_setting("n=3")->name == "n");
  CHECK(parse_setting("n=a == b")->text == "a == b");
  CHECK(parse_setting("n=")->text == "");
  CHECK_FALSE(parse_setting("n"));
  CHECK_FALSE(parse_setting("=3"));
  CHECK_FALSE(parse_setting("n m=3"));
}
