#include "runtime/lsp/text.h"

#include <doctest/doctest.h>

using namespace gpx;
using namespace gpx::lsp;

TEST_CASE("positions count lines of any end, and units of UTF-16") {
  // é: 2 bytes, 1 unit; 漢: 3 bytes, 1 unit; 𝛼: 4 bytes, 2 units.
  const Text text("ab\r\né漢𝛼x\rlast\n");
  const struct {
    std::size_t line, character, offset;
  } rows[] = {
      {0, 0, 0},  {0, 1, 1},  {0, 2, 2},  {1, 0, 4},  {1, 1, 6},  {1, 2, 9},
      {1, 4, 13}, {1, 5, 14}, {2, 0, 15}, {2, 4, 19}, {3, 0, 20},
  };
  for (const auto& row : rows) {
    CAPTURE(row.line);
    CAPTURE(row.character);
    CHECK(text.offset({row.line, row.character}) == row.offset);
    CHECK(text.position(row.offset) == Position{row.line, row.character});
  }
}

TEST_CASE("what lies beyond a line is its end, and beyond the text its end") {
  const Text text("ab\n𝛼\n");
  CHECK(text.offset({0, 99}) == 2);
  CHECK(text.offset({1, 1}) == 3);  // In the middle of a pair.
  CHECK(text.offset({9, 0}) == text.bytes().size());
  CHECK(text.position(999) == Position{2, 0});
  CHECK(Text("").offset({0, 5}) == 0);
}

TEST_CASE("a message's place, whose lines end in \\n alone, is found") {
  const Source source("t", "é = 1\rx\nsweep");
  const Text text(source.text());
  CHECK(text.range(source.locate({9, 14})) == Range{{2, 0}, {2, 5}});
  CHECK(text.range(source.locate({7, 8})) == Range{{1, 0}, {1, 1}});
  CHECK(text.range(Location{"t", 0, 0, 0, {}}) == Range{});
}

TEST_CASE("changes replace ranges") {
  Text text("one\ntwo\nthree");
  text.replace({{0, 3}, {1, 0}}, " ");
  CHECK(text.bytes() == "one two\nthree");
  text.replace({{1, 0}, {9, 9}}, "é");
  CHECK(text.bytes() == "one two\né");
  text.replace({{1, 1}, {0, 0}}, "!");  // An end before the start.
  CHECK(text.bytes() == "one two\né!");
}
