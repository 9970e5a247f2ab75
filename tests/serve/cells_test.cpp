#include "runtime/serve/cells.h"

#include <doctest/doctest.h>

using namespace gpx::serve;

namespace {

const char* kDocument = R"(# What is measured.

param n = 3  # 1..8 step 1
param op = 2

# Above its experiment.
experiment first "A title" {
  sweep threads 32..64 step 32
  < load unique(128B) x n >
}

threads 32 < load unique(128B) x op >
# :lua
# print(#first.samples)
)";

std::string joined(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) text += cell.text;
  return text;
}

/// "note, parameters, experiment first"
std::string shape(const std::string& text) {
  std::string shape;
  for (const Cell& cell : cells_of(text))
    shape += (shape.empty() ? "" : ", ") + std::string(to_string(cell.kind)) +
             (cell.name.empty() ? "" : " " + cell.name);
  return shape;
}

}  // namespace

TEST_CASE("messages name lines of the cell") {
  const std::vector<Cell> cells = cells_of(
      "param n = 3\n\n# Above.\n# And more.\nexperiment e {\n  threads 32\n  < laod >\n}\n");
  REQUIRE(cells.size() == 2);
  Cell cell = cells.back();
  CHECK(line_shift(cell) == 2);
  CHECK(in_cell("<stdin>:3:5: error: no\n 3 |   < laod >\n   |     ^\n", cell) ==
        "line 5 of e, column 5: error: no\n 5 |   < laod >\n   |     ^\n");
  cell.program = "param n = 3\n" + cell.program;
  cell.uses = {"n"};
  CHECK(line_shift(cell) == 1);
  CHECK(in_cell("<stdin>:1:5: error: no\n", cell) == "a parameter of e: error: no\n");
  CHECK(in_cell("note: <stdin>:x and 3 | bars\n", cell) == "note: <stdin>:x and 3 | bars\n");
}

TEST_CASE("the cells of a document are the document") {
  const auto cells = cells_of(kDocument);
  CHECK(joined(cells) == kDocument);
  CHECK(shape(kDocument) == "note, parameters, experiment first, experiment line1, lua lua1");
  CHECK(cells[2].title == "A title");
  CHECK(cells[2].text.starts_with("# Above its experiment.\n"));
}

TEST_CASE("no text is lost, whatever it is") {
  for (const std::string text :
       {"",
        "\n\n",
        "#",
        "# a",
        "a",
        "}",
        "{",
        "experiment",
        "experiment a {",
        "param",
        "param n",
        "param n = ",
        "\xff\xfe",
        "experiment a { < load unique(128B) > } experiment b { < sync > }\n",
        "\n\n# a\n\n\nparam n = 1 # 1..2\r\n\r\nthreads 32 < sync >\r\n",
        "\"",
        "param a = 1 param b = 2",
        "# :lua",
        "# :lua\n\n# x\n",
        "threads 32 < load unique(128B)\n\n\nx2 >\n"}) {
    CAPTURE(text);
    CHECK(joined(cells_of(text)) == text);
  }
  const std::string whole = kDocument;
  for (std::size_t size = 0; size <= whole.size(); ++size)
    CHECK(joined(cells_of(whole.substr(0, size))) == whole.substr(0, size));
}

TEST_CASE("a missing brace leaves the experiments behind it as they are") {
  CHECK(
      shape("experiment a {\n  threads 32\n  < sync >\n\n# b's\nexperiment b {\n  < sync >\n}\n") ==
      "experiment a, experiment b");
}

TEST_CASE("an experiment's program has the parameters that it needs, and no others") {
  const auto cells = cells_of(
      "param a = 2\nparam b = a * 2\nparam c = 7\n\n"
      "# c is named in a comment, \"c\" in quotes\nexperiment x { threads 32 < load unique(128B) x "
      "b > }\n");
  REQUIRE(cells.size() == 2);
  CHECK(cells[1].uses == std::vector<std::string>{"a", "b"});
  CHECK(cells[1].program ==
        "param a = 2\nparam b = a * 2\nexperiment x { threads 32 < load unique(128B) x b > }\n");
}

TEST_CASE("a parameter's choices are the values of the comment behind it") {
  const auto knobs = [](const std::string& text) { return cells_of(text).front().knobs; };
  CHECK(knobs("param n = 3  # 1..5 step 2\n")[0].choices ==
        std::vector<std::string>{"1", "3", "5"});
  CHECK(knobs("param s = 4KB # 1KB..4KB step x2\n")[0].choices ==
        std::vector<std::string>{"1KB", "2KB", "4KB"});
  CHECK(knobs("param s = 4KB # [4KB, 1MB]\n")[0].choices == std::vector<std::string>{"4KB", "1MB"});
  CHECK_FALSE(knobs("param s = 4KB # [4KB, 1MB]\n")[0].is_range);
  for (const char* none :
       {"param n = 3\n", "param n = 3 # threads of a block\n", "param n = 3 # 1..999999\n",
        "param n = 3 # 1..5 < sync > threads 3..\n"})
    CHECK_MESSAGE(knobs(none)[0].choices.empty(), none);
}

TEST_CASE("Lua names the experiments that it reads") {
  const auto cells = cells_of(kDocument);
  CHECK(cells.back().program == "\nprint(#first.samples)\n");
  CHECK(cells.back().uses == std::vector<std::string>{"first"});
}
