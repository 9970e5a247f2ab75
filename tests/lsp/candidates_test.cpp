#include "runtime/lsp/candidates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "lang/language.h"
#include "runtime/lsp/document.h"
#include "support.h"

using namespace gpx;
using namespace gpx::lsp;

namespace {

std::set<std::string> offered(const std::string& marked) {
  const auto [text, at] = with_cursor(marked);
  const Document document("", text);
  std::set<std::string> names;
  for (const Candidate& one : document.completion(document.text().position(at), small_library())) {
    CHECK_MESSAGE(names.insert(one.name).second, one.name << " twice");
    CHECK_FALSE(one.help.empty());
  }
  return names;
}

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) all.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

}  // namespace

TEST_CASE("completion offers what may stand at the cursor, and not what may not") {
  const struct {
    const char *text, *there, *absent;
  } rows[] = {
      {"|", "experiment sweep device analyze", "load stamp unique KB"},
      {"experiment a {\n  |\n}", "measure observe paper claim", "experiment load"},
      {"experiment a { measure b { | } }", "threads place observe shared", "analyze sweep measure"},
      {"< | >", "load store sync when add.u32 diverge", "sweep unique"},
      {"< load | >", "global shared unique merge", "width sweep load"},
      {"array a : global[1KB] chase(stride 128B) < load | >", "a unique", "chain"},
      {"< load global | >", "unique broadcast", "global width"},
      {"< load unique(128B) | >", "width cache x", "unique global"},
      {"< load unique(128B) cache | >", "ca cg nc", "width"},
      {"< add.u32 | >", "x chain streams", "load"},
      {"device |", "k20 m2070", "outstanding"},
      {"analyze |", "outstanding", "k20"},
      {"sweep threads 1..9 analyze outstanding(|)", "x loads", "k20 load"},
      {"sweep threads 1..9, n 1..2 analyze outstanding(x = |)", "threads n", "loads"},
      {"observe |", "latency time each average timeline issue", "neighbour_variance"},
      {"repeat 3 reduce |", "median harmonic_mean", "latency"},
      {"repeat 3 |", "reduce", "median"},
      {"repeat |", "until", "reduce"},
      {"repeat until 1% |", "at reduce", "until"},
      {"repeat until 1% at |", "most", "reduce"},
      {"repeat until 1% at most 20 |", "reduce", "until"},
      {"plot |", "latency neighbour_variance time", "over"},
      {"sweep n 1..3 plot latency over |", "n threads", "over"},
      {"sweep n 1..3 plot latency over n |", "by logx logy", "latency"},
      {"sweep |", "zip threads blocks", "in step"},
      {"sweep n |", "in", "zip"},
      {"param k = 2\nsweep n 1..k |", "step", "zip"},
      {"param k = 2\nsweep n 1..|", "k", "zip"},
      {"sweep op in [|]", "add.u32", "load"},
      {"array a : |", "global shared local", "chase"},
      {"array a : global[1KB] |", "chase width", "global"},
      {"array a : global[1KB] chase(|)", "stride random list steps", "unique"},
      {"l1_cache |", "on off", "ca"},
      {"sweep at in [0, 1] offset |", "at threads", "load"},
      {"param offset = |", "true false", "load"},
      {"experiment a {\n  measure m { off| }\n}", "offset", "sweep"},
      {"expect outstanding.kind is |", "measured inconclusive", "and"},
      {"experiment a {\n  paper outstanding.|\n}", "outstanding.kind", "load"},
      {"sweep threads 2..|", "blocks", "load"},
      {"expect outstanding.|", "outstanding.kind outstanding.entries", "load"},
      {"expect |", "outstanding.kind outstanding.entries tlb.l1.page outcome", "load"},
      {"sweep threads 1..9 < sync > analyze outstanding(x = threads) expect |", "outstanding.kind",
       "tlb.l1.page"},
      {"experiment a { analyze tlb() }\nexperiment b { analyze outstanding()\n paper |",
       "outstanding.kind", "tlb.l1.page outcome and"},
      {"experiment a { analyze tlb()\n claim \"a\" outstanding.k|", "tlb.l1.page outcome",
       "outstanding.kind"},
      {"experiment a { analyze \"my.lua\"()\n expect tlb.l1.page > |", "outstanding.kind", "load"},
      {"expect outcome |", "is within and", "load"},
      {"expect |", "max median latency", "load"},
      {"derive rate = |", "bytes latency max", "median load"},
      {"derive |", "", "bytes latency"},
      {"place |", "sm", "if"},
      {"place sm 0 beside sm 1 |", "if", "sm"},
      {"param size = 16|", "16KB 16B 16ms", "KB load"},
      {"shared seen = 0 < when lane | >", "seen warp and", "load"},
      {"kernel k from \"a.cu\" entry f(a = |", "buffer null", "load"},
      {"expect |", "buffer checksum", "load"},
      {"kernel k from \"a.cu\" entry f(a = buffer(4KB, |", "hash uniform permutation", "buffer"},
      {"kernel k from \"a.cu\" entry f() < run | >", "k", "load"},
      {"# |", "", "sweep"},
      {"cite |", "", "sweep n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto names = offered(row.text);
    CAPTURE(fmt::format("{}", fmt::join(names, " ")));
    for (const std::string& name : split(row.there)) CHECK_MESSAGE(names.count(name) == 1, name);
    for (const std::string& name : split(row.absent)) CHECK_MESSAGE(names.count(name) == 0, name);
  }
}

TEST_CASE("names of one experiment are not offered in another") {
  const auto names = offered(
      "param all = 1\nexperiment a { param mine = 2 < sync > }\n"
      "experiment b { param other = 3\n threads | \n< sync > }");
  CHECK(names.count("all") == 1);
  CHECK(names.count("other") == 1);
  CHECK(names.count("mine") == 0);
}

TEST_CASE("a measure is offered exactly the clauses that it may have") {
  // The parser's own message lists them.
  const Source source("t", "experiment a { measure b { nonsense } }");
  const auto ast = parse(source);
  REQUIRE_FALSE(ast);
  const std::string message = ast.error().diagnostics.front().message;
  std::set<std::string> listed;
  for (const Term& term : vocabulary())
    if (message.find(fmt::format("'{}'", term.name)) != std::string::npos) listed.insert(term.name);
  REQUIRE(listed.size() > 10);
  CHECK(offered("experiment a { measure b { | } }") == listed);
}

TEST_CASE("every word of the language is offered somewhere") {
  const char* places[] = {
      "|",
      "< | >",
      "< load | >",
      "< load unique(4B) | >",
      "< load unique(4B) cache | >",
      "< add.u32 | >",
      "< when | >",
      "< x = 1; diverge lane | >",
      "sweep |",
      "sweep n |",
      "sweep n 1..2 |",
      "observe |",
      "plot |",
      "plot latency |",
      "repeat |",
      "repeat until 1% |",
      "repeat until 1% at |",
      "repeat 2 |",
      "repeat 2 reduce |",
      "array a : |",
      "array a : global[1KB] |",
      "array a : global[1KB] chase(|",
      "array a : global[1KB] chase(steps [3 |",
      "kernel k |",
      "kernel k from \"a\" entry f(a = |",
      "kernel k from \"a\" entry f(a = buffer(4KB, |",
      "flush |",
      "expect a is |",
      "expect a |",
  };
  std::set<std::string> all;
  for (const char* place : places) all.merge(offered(place));
  for (const Term& term : vocabulary())
    if (term.kind != TermKind::unit) CHECK_MESSAGE(all.count(term.name) == 1, term.name);
}
