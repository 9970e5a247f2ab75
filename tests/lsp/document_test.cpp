#include "runtime/lsp/document.h"

#include <fmt/format.h>

#include "support.h"
#include "tests/folder.h"

using namespace gpx;
using namespace gpx::lsp;

namespace {

const std::string kText =
    "param all = 16KB\n"
    "experiment demo \"A title\" {\n"
    "  device  k20\n"
    "  param   stride = 8KB\n"
    "  sweep   n 1..3, threads 2..64 step 2\n"
    "  array   a : global[all] chase(stride stride)\n"
    "  shared  seen = 0\n"
    "  measure one { < load a x n chain; seen = n > }\n"
    "  measure two { observe timeline < add.u32 x256 chain; stamp here > }\n"
    "  analyze outstanding(x = threads, loads = n)\n"
    "  expect  outstanding.kind is measured\n"
    "}\n"
    "sweep n 1..2 < load unique(128B) x n >\n";

/// Of the `occurrence`-th place (from 1) of the word in kText.
Position at(const std::string& word, int occurrence = 1) {
  std::size_t offset = kText.find(word);
  while (--occurrence > 0) offset = kText.find(word, offset + 1);
  REQUIRE(offset != std::string::npos);
  return Text(kText).position(offset + 1 <= kText.size() && word.size() > 1 ? offset + 1 : offset);
}

std::string outline(const std::vector<Declaration>& all) {
  std::string out;
  for (const Declaration& one : all) {
    out += fmt::format("{} {}", to_string(one.kind), one.name);
    if (!one.inside.empty()) out += " { " + outline(one.inside) + "}";
    out += ' ';
  }
  return out;
}

}  // namespace

TEST_CASE("hover says what a word means at its place") {
  const Document document("", kText);
  const struct {
    const char* word;
    int occurrence;
    const char* says;
  } rows[] = {
      {"experiment", 1, "one experiment"},
      {"16KB", 1, "`16KB` = 16384 bytes"},
      {"device", 1, "the virtual one to run on"},
      {"k20", 1, "a Kepler"},
      {"stride", 1, "param   stride = 8KB"},     // its own declaration
      {"stride", 2, "threads lie BYTES apart"},  // of chase
      {"stride", 3, "param   stride = 8KB"},     // the parameter
      {"threads", 1, "threads a block"},         // an axis of a built-in name
      {"global", 1, "global memory"},
      {"load", 1, "each thread reads"},
      {"chain", 1, "each waits for the one before it"},
      {"add.u32", 1, "unit: `alu`"},
      {"outstanding", 1, "what limits requests"},
      {"loads", 1, "outstanding(x = threads, loads = n)"},
      {"measured", 1, "the samples support the value"},
      {"measure", 1, "one of several regions"},
      {"unique", 1, "its own block of BYTES"},
  };
  const Library library = small_library();
  for (const auto& row : rows) {
    CAPTURE(row.word);
    CAPTURE(row.occurrence);
    const auto hover = document.hover(at(row.word, row.occurrence), library);
    REQUIRE(hover);
    CHECK_MESSAGE(hover->markdown.find(row.says) != std::string::npos, hover->markdown);
  }
  CHECK_FALSE(document.hover({1, 20}, library));  // In the title.
  CHECK_FALSE(document.hover({99, 0}, library));
}

TEST_CASE("an operation's hover holds its row of the table") {
  const Document document("", "< mad.lo.u32 x4 >");
  const auto hover = document.hover({0, 4}, small_library());
  REQUIRE(hover);
  for (const char* part :
       {"unit: `alu`", "type: `u32`", "PTX: `", "machine code: `IMAD", "op.mad.lo.u32.latency"})
    CHECK_MESSAGE(hover->markdown.find(part) != std::string::npos, hover->markdown);
}

TEST_CASE("definitions are found in the text and in the library") {
  const Document document("", kText);
  const Library library = small_library();
  const auto place = [&](const char* word, int occurrence) {
    const auto target = document.definition(at(word, occurrence), library);
    return target ? fmt::format("{}:{}:{}", target->path, target->range.start.line,
                                target->range.start.character)
                  : std::string("none");
  };
  CHECK(place("all]", 1) == ":0:6");
  CHECK(place("stride)", 1) == ":3:10");
  CHECK(place("seen", 2) == ":6:10");
  CHECK(place("threads,", 1) == ":4:18");
  CHECK(document.definition({7, 23}, library)->range.start == Position{5, 10});   // load a
  CHECK(document.definition({7, 27}, library)->range.start == Position{4, 10});   // x n
  CHECK(document.definition({12, 35}, library)->range.start == Position{12, 6});  // the line's n
  CHECK(place("k20", 1) == "/lib/devices/k20.lua:0:0");
  CHECK(place("outstanding", 1) == "/lib/analysis/outstanding.lua:0:0");
  CHECK(place("device", 1) == "none");
}

TEST_CASE("definitions of files: a kernel, its function, a script") {
  const test::TemporaryFolder folder;
  const std::string kernel = folder.write(
      "own.cu", "// own\n__global__ void other(int n) {}\n__global__ void mine(int n) {}\n");
  const std::string script = folder.write("own.lua", "return function() end\n");
  const Document document(folder.path("x.gpx"),
                          "kernel k from \"own.cu\" entry mine(n = 1) < run k >\n"
                          "kernel m from \"matmul.cu\" entry matmul(n = 1) < run m >\n"
                          "< sync > analyze \"own.lua\"() analyze \"none.lua\"()\n");
  const Library library = small_library();
  const auto own = document.definition({0, 18}, library);
  REQUIRE(own);
  CHECK(own->path == kernel);
  CHECK(document.definition({0, 31}, library)->range.start == Position{2, 16});
  CHECK(document.definition({0, 48}, library)->range.start == Position{0, 7});
  CHECK(document.definition({1, 18}, library)->path == GPX_SOURCE_DIR "/stdlib/kernels/matmul.cu");
  CHECK(document.definition({2, 20}, library)->path == script);
  CHECK_FALSE(document.definition({2, 41}, library));
}

TEST_CASE("the outline has experiments with what they declare") {
  CHECK(outline(Document("", kText).declared()) ==
        "parameter all experiment demo { parameter stride axis n axis threads array a shared "
        "variable seen measure one measure two { label here } } experiment line1 { axis n } ");
}

TEST_CASE("an unfinished text still has its names") {
  const Document document("", "param a = 1\nexperiment x {\n  param b = 2\n  sweep c 1..\n}\n");
  CHECK(outline(document.declared()) == "parameter a experiment x { parameter b } ");
  CHECK(Document("", "\x01 {{{ <<<").declared().empty());
}

TEST_CASE("problems are those of gpx check, with their hints and places") {
  CHECK(Document("", kText).problems(small_library().paths).empty());
  const auto problems = Document("", "experiment a \"é\" { sweep n 1..3 < load uniqe(128B) x n > }")
                            .problems(small_library().paths);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("did you mean 'unique'?") != std::string::npos);
  CHECK(problems[0].range == Range{{0, 39}, {0, 44}});
}

TEST_CASE("warnings are those of gpx check") {
  const auto problems = Document("", "sweep n 1..3, m 1..2 < load unique(128B) x n >")
                            .problems(small_library().paths);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].is_warning);
  CHECK(problems[0].message.find("'m'") != std::string::npos);
  CHECK(problems[0].range.start.line == 0);
}

TEST_CASE("formatting is that of gpx fmt, and nothing where the text is wrong") {
  CHECK(Document("", "sweep   n 1..3 <sync>").formatted() == "sweep n 1..3 < sync >\n");
  CHECK_FALSE(Document("", "sweep n 1..").formatted());
}
