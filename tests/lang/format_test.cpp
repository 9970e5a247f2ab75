// The formatter: small layouts; whole files are in the goldens (*.fmt).
#include <doctest/doctest.h>

#include "lang/language.h"

using namespace gpx;

namespace {

std::string formatted(const std::string& text) {
  const Source source("t", text);
  const auto ast = parse(source);
  if (!ast) return render(ast.error());
  return format(*ast, source);
}

}  // namespace

TEST_CASE("spaces, counts and numbers are laid out as the author meant them") {
  const std::pair<std::string, std::string> table[] = {
      {"sweep   n   1 .. 3  <load unique( 128B )x3>", "sweep n 1..3 < load unique(128B) x3 >\n"},
      {"< load broadcast x ( 2*n ) >", "< load broadcast x (2 * n) >\n"},
      {"< load broadcast x(n) >", "< load broadcast x n >\n"},
      {"< load unique(5KiB) width (8B) >", "< load unique(5KiB) width 8B >\n"},
      {"< load unique(1024B) cache cg width 8B >", "< load unique(1024B) width 8B cache cg >\n"},
      {"param a=1e3+0.50", "param a = 1e3 + 0.50\n"},
      {"sweep n 1..8 step x 2 < load broadcast >", "sweep n 1..8 step x2 < load broadcast >\n"},
      {"threads (a>b) < load broadcast >", "threads (a > b) < load broadcast >\n"},
      {"flush < load broadcast >", "flush < load broadcast >\n"},
      {"", ""},
      {"\n\n\n", ""},
  };
  for (const auto& [text, expected] : table) {
    INFO(text);
    CHECK(formatted(text) == expected);
    CHECK(formatted(expected) == expected);
  }
}

TEST_CASE("clauses align after their keywords, each on its line") {
  CHECK(
      formatted("experiment a { device k20; repeat 3\n analyze m(x = 1); < load broadcast > }") ==
      "experiment a {\n  device  k20\n  repeat  3\n  analyze m(x = 1)\n  < load broadcast >\n}\n");
}

TEST_CASE("one blank line stays between groups, none at the edges of a block") {
  CHECK(
      formatted("experiment a {\n\n\n  device k20\n\n\n  threads 3\n  < load broadcast >\n\n}\n") ==
      "experiment a {\n  device  k20\n\n  threads 3\n  < load broadcast >\n}\n");
}
