// Broken texts: no mutation of a good file may crash, and whatever still parses must format and
// print to something that reads back as the same.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/language.h"

using namespace gpx;

namespace {

struct Random {
  std::uint64_t state;
  std::uint64_t below(std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  }
};

std::string read(const char* name) {
  std::ifstream file(std::filesystem::path(GPX_TESTS_DIR) / "lang/golden" / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const char* const pieces[] = {"<",
                              ">",
                              "{",
                              "}",
                              "(",
                              ")",
                              "[",
                              "]",
                              ",",
                              ";",
                              "\n",
                              "..",
                              "=",
                              "==",
                              "x",
                              "x3",
                              "\"",
                              "#",
                              "128B",
                              "n",
                              "in",
                              "step",
                              "zip",
                              "-",
                              "1",
                              "0",
                              "sweep",
                              "param",
                              "not",
                              "if",
                              "load",
                              "within",
                              "is",
                              "a.b[n=1]",
                              "\xc3\xa9",
                              "when lane > 0 {",
                              "else",
                              "while n < 3 { }",
                              "diverge lane over 3..0 {",
                              "add.u32 x4 chain",
                              "sync",
                              "stamp",
                              "keep a = 1",
                              "shared",
                              "measure",
                              "array",
                              "chase(",
                              "each",
                              "outcome",
                              "op",
                              "lane",
                              "watchdog 1s",
                              "observe timeline",
                              "< >",
                              "streams 2",
                              "b = 1"};

std::string mutate(std::string text, Random& random) {
  for (std::uint64_t i = 0; i <= random.below(3); ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = random.below(12);
    switch (random.below(4)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, pieces[random.below(std::size(pieces))]); break;
      case 2: text.insert(at, text.substr(random.below(text.size() + 1), length)); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
    }
  }
  return text;
}

std::string print(const std::vector<Experiment>& experiments) {
  std::string out;
  for (const Experiment& experiment : experiments) out += to_string(experiment);
  return out;
}

void try_text(const std::string& text) {
  const Source source("t", text);
  (void)completeness(text);
  const auto ast = parse(source);
  if (!ast) {
    REQUIRE_FALSE(ast.error().diagnostics.empty());
    REQUIRE(ast.error().diagnostics[0].location.has_value());
    REQUIRE_FALSE(render(ast.error()).empty());
    return;
  }
  const Source formatted("f", format(*ast, source));
  const auto again = parse(formatted);
  if (!again) FAIL(text << "\nformats to\n" << formatted.text() << "\n" << render(again.error()));
  REQUIRE(to_string(*again) == to_string(*ast));
  REQUIRE(format(*again, formatted) == formatted.text());
  REQUIRE(again->comments.size() == ast->comments.size());
  const auto experiments = check(*ast, source);
  if (!experiments) return;
  const Source printed("p", print(*experiments));
  const auto reread = parse(printed);
  if (!reread) FAIL(printed.text() << render(reread.error()));
  const auto rechecked = check(*reread, printed);
  if (!rechecked) FAIL(printed.text() << render(rechecked.error()));
  REQUIRE(print(*rechecked) == printed.text());
}

}  // namespace

TEST_CASE("mutated files are reported or read, and what is read can be written") {
  Random random{7};
  for (const char* name :
       {"kepler_prt.gpx", "clauses.gpx", "comments.gpx", "ranges.gpx", "expressions.gpx",
        "one_liners.gpx", "measures.gpx", "control.gpx", "arrays.gpx"}) {
    const std::string text = read(name);
    REQUIRE_FALSE(text.empty());
    for (int i = 0; i < 300; ++i) {
      const std::string broken = mutate(text, random);
      CAPTURE(broken);
      try_text(broken);
    }
  }
}

TEST_CASE("random bytes are refused with a place") {
  Random random{11};
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (std::uint64_t k = random.below(300); k > 0; --k)
      text += static_cast<char>(i % 2 ? random.below(256) : 32 + random.below(95));
    CAPTURE(text);
    try_text(text);
  }
}
