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
      {"<add.u32 chain x256>", "< add.u32 x256 chain >\n"},
      {"< op streams(2) x ( 2*n ) >", "< op x (2 * n) streams 2 >\n"},
      {"< load a each x(2*n) cache cg >", "< load a cache cg each x (2 * n) >\n"},
      {"<sync;stamp;stamp b>", "< sync; stamp; stamp b >\n"},
      {"<  >", "< >\n"},
      {"< a=a+1;keep b=(lane) >", "< a = a + 1; keep b = lane >\n"},
      {"< when a>1{sync}else when b{ }else{sync;sync} >",
       "< when a > 1 { sync } else when b { } else { sync; sync } >\n"},
      {"< while(a){} >", "< while a { } >\n"},
      {"< diverge lane over 31 .. 0{sync} >", "< diverge lane over 31..0 { sync } >\n"},
      {"< diverge lane over[ 1,2 ]{ } >", "< diverge lane over [1, 2] { } >\n"},
      {"array a:global[ 2*n ]width 8B chase( stride 8B )",
       "array a : global[2 * n] chase(stride 8B) width 8B\n"},
      {"array a : local[n] chase(steps [2 of 1KB,n of 4B])",
       "array a : local[n] chase(steps [2 of 1KB, n of 4B])\n"},
      {"watchdog 10ms registers 8 rehearse 2 shared a=0",
       "watchdog 10ms registers 8 rehearse 2 shared a = 0\n"},
      {"", ""},
      {"\n\n\n", ""},
  };
  for (const auto& [text, expected] : table) {
    const auto& shown = text;
    INFO(shown);
    CHECK(formatted(text) == expected);
    CHECK(formatted(expected) == expected);
  }
}

TEST_CASE("clauses align after their keywords, each on its line") {
  CHECK(
      formatted("experiment a { device k20; repeat 3\n analyze m(x = 1); < load broadcast > }") ==
      "experiment a {\n  device  k20\n  repeat  3\n  analyze m(x = 1)\n  < load broadcast >\n}\n");
}

TEST_CASE("a measure on one line stays so, one over several lines is laid out as a block") {
  CHECK(formatted("experiment a { measure m { threads 1; < op x4 > } }") ==
        "experiment a {\n  measure m { threads 1 < op x4 > }\n}\n");
  CHECK(formatted("experiment a {\nmeasure m { threads 1\n< op x4 > }\nblocks 2 }") ==
        "experiment a {\n  measure m {\n    threads 1\n    < op x4 >\n  }\n  blocks  2\n}\n");
}

TEST_CASE("what has braces and does not fit into a line is laid out as a block, once and for all") {
  const std::string name(85, 'm');
  const std::string wide = "experiment a {\n  measure " + name +
                           " {\n    threads (1, 2)\n    < op x4 >\n  }\n  < sync >\n}\n";
  CHECK(formatted("experiment a { measure " + name +
                  " { threads (1, 2); < op x4 > }; < sync > }") == wide);
  CHECK(formatted(wide) == wide);
  const std::string beside = "experiment a {\n  beside sm " + name +
                             " {\n    while 1 < 2 { store a index(1, 2) }\n  }\n  < sync >\n}\n";
  CHECK(formatted("experiment a { beside sm " + name +
                  " { while 1 < 2 { store a index(1, 2) } }; < sync > }") == beside);
  CHECK(formatted(beside) == beside);
}

TEST_CASE("a block over several lines is laid out, its comments stay inside") {
  CHECK(formatted("experiment a {\n<\nwhen a { # one\nsync\n} # two\n# three\nelse {\nsync\n"
                  "# four\n} >\n}") ==
        "experiment a {\n  <\n    when a {  # one\n      sync\n      # two\n      # three\n"
        "    } else {\n      sync\n      # four\n    }\n  >\n}\n");
  CHECK(formatted("<\nwhile a {\n} >") == "< while a { } >\n");
}

TEST_CASE("one blank line stays between groups, none at the edges of a block") {
  CHECK(
      formatted("experiment a {\n\n\n  device k20\n\n\n  threads 3\n  < load broadcast >\n\n}\n") ==
      "experiment a {\n  device  k20\n\n  threads 3\n  < load broadcast >\n}\n");
}
