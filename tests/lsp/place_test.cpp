#include "runtime/lsp/place.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support.h"

using namespace gpx::lsp;

namespace {

/// "experiment: sweep n 1 .. [call chase(] word"
std::string describe(const std::string& marked) {
  const auto [text, at] = with_cursor(marked);
  const Place place = place_at(text, at);
  if (place.in_comment) return "comment";
  static const char* levels[] = {"file", "experiment", "measure", "region"};
  std::string out = fmt::format("{}:", levels[static_cast<int>(place.level)]);
  for (const std::string& word : place.before) out += ' ' + word;
  if (place.bracket != '\0') out += fmt::format(" [in {}{}]", place.call, place.bracket);
  const std::string word = text.substr(place.word.begin, place.word.end - place.word.begin);
  if (!word.empty()) out += fmt::format(" '{}'", word);
  return out + (place.in_text ? " text" : "");
}

}  // namespace

TEST_CASE("the place of a cursor is found in whole and in unfinished texts") {
  const struct {
    const char *text, *place;
  } rows[] = {
      {"|", "file:"},
      {"swe|", "file: 'swe'"},
      {"sweep |", "file: sweep"},
      {"sweep thr|eads 2..4", "file: sweep 'threads'"},
      {"sweep n 1..|", "file: sweep n 1 .."},
      {"sweep n 1..3, |", "file: sweep n 1 .. 3 ,"},
      {"sweep n 1..3,\n  m|", "file: sweep n 1 .. 3 , 'm'"},
      {"sweep n 1..3\n|", "file:"},
      {"sweep n 1..3 dev|ice k20", "file: 'device'"},
      {"sweep n 1..3 device| k20", "file: 'device'"},
      {"sweep n 1..3 device k|", "file: device 'k'"},
      {"experiment |", "file: experiment"},
      {"experiment a \"t\" { | }", "experiment:"},
      {"experiment a {\n  sweep n in [1, |", "experiment: sweep n in [ 1 , [in in[]"},
      {"experiment a { measure b { | } }", "measure:"},
      {"experiment a { measure b { < lo| > } }", "region: 'lo'"},
      {"experiment a { measure b { < load a > } | }", "experiment:"},
      {"experiment a { < load global unique(128B) |", "region: load global unique )"},
      {"experiment a { < load unique(|", "region: load unique ( [in unique(]"},
      {"< add.u32 x256 cha|in >", "region: add.u32 x256 'chain'"},
      {"< when lane > 3 { sy|nc } >", "region: 'sync'"},
      {"< when lane > |", "region: when lane >"},
      {"< sync > an|alyze", "file: 'analyze'"},
      {"flush if a < 3 |", "file: flush if a < 3"},
      {"flush if a < load |", "region: load"},
      {"array a : sh|ared[1KB]", "file: array a : 'shared'"},
      {"array a : global[1KB] chase(|", "file: array a : global ] chase ( [in chase(]"},
      {"analyze outstanding(x = threads, l|",
       "file: analyze outstanding ( x = threads , "
       "[in outstanding(] 'l'"},
      {"analyze \"my.l|ua\"", "file: analyze '\"my.lua\"' text"},
      {"analyze \"my.lua\"|", "file: analyze \"my.lua\""},
      {"analyze \"my.l|", "file: analyze '\"my.l' text"},
      {"param n = 1 # wh|y", "comment"},
      {"param n = 1 # why\n|", "file:"},
      {"} } > ) |", "file: >"},
      {"experiment a { < when { \nexperiment b { |", "experiment:"},
      {"beside sm 1 { lo|ad b } ", "region: 'load'"},
      {"param n = 2; |", "file:"},
      {"é |", "file: \xc3 \xa9"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(describe(row.text) == std::string(row.place));
  }
}

TEST_CASE("every offset of a text has a place") {
  const std::string text =
      "experiment a \"t\" { sweep n 1..3, threads in [1, 2]\n < load unique(128B) x (2 * n) > }";
  for (std::size_t at = 0; at <= text.size() + 2; ++at) {
    const Place place = place_at(text, at);
    CHECK(place.word.begin <= place.word.end);
    CHECK(place.word.end <= text.size());
  }
}
