#include "runtime/report/table.h"

#include <doctest/doctest.h>

using namespace gpx::report;

TEST_CASE("columns are as wide as their widest cell, and notes wrap beneath their row") {
  Table table({"name", "value"}, {false, true});
  table.add({{"µ"}, {"1"}});
  table.add({{"longer name"}, {"12345"}});
  table.note("one two three four five");
  CHECK(table.render({false, true, 20}) ==
        "  name         value\n"
        "  µ                1\n"
        "  longer name  12345\n"
        "      one two three\n"
        "      four five\n");
}

TEST_CASE("without UTF-8 columns still line up") {
  Table table({"a", "b"});
  table.add({{"≥ 8"}, {"x"}});
  table.add({{"8"}, {"y"}});
  CHECK(table.render({false, false, 80}) == "  a     b\n  >= 8  x\n  8     y\n");
}

TEST_CASE("a last cell that does not fit wraps in its column, and an empty header is no line") {
  Table table({"", ""});
  table.add({{"pass"}, {"one two three four five six seven eight"}});
  CHECK(table.render({false, true, 40}) ==
        "  pass  one two three four five six\n"
        "        seven eight\n");
  CHECK(table.width({false, true, 40}) == 47);
}
