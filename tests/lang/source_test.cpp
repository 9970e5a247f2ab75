// Places in a text: lang/source.h.
#include "lang/source.h"

#include <doctest/doctest.h>

using gpx::Source;
using gpx::Span;

TEST_CASE("a span is located by line and column, counted from 1") {
  const Source source("a.gpx", "one\ntwo three\n\nlast");
  const auto three = source.locate({8, 13});
  CHECK(three.file == "a.gpx");
  CHECK(three.line == 2);
  CHECK(three.column == 5);
  CHECK(three.length == 5);
  CHECK(three.line_text == "two three");
  CHECK(source.locate({0, 3}).line == 1);
  CHECK(source.locate({15, 19}).line == 4);
}

TEST_CASE("a span over several lines is marked to the end of its first") {
  const Source source("a.gpx", "one\ntwo\n");
  CHECK(source.locate({1, 6}).length == 2);
}

TEST_CASE("the end of the text and what lies beyond have a place") {
  const Source source("a.gpx", "one\n");
  CHECK(source.locate({4, 5}).line == 2);
  CHECK(source.locate({400, 500}).line == 2);
  CHECK(source.locate({400, 500}).length == 1);
  CHECK(source.slice({2, 400}) == "e\n");
  CHECK(source.slice({400, 500}).empty());
}

TEST_CASE("an empty text has a first line") {
  const Source source("a.gpx", "");
  CHECK(source.locate({0, 0}).line == 1);
  CHECK(source.locate({0, 0}).column == 1);
}

TEST_CASE("a line is without the blanks at its ends") {
  const Source source("a.gpx", "one\n\t two three \r\n\nlast");
  CHECK(source.slice(source.line(1)) == "one");
  CHECK(source.slice(source.line(2)) == "two three");
  CHECK(source.slice(source.line(3)).empty());
  CHECK(source.slice(source.line(4)) == "last");
  CHECK(source.line(5) == Span{23, 23});
}
