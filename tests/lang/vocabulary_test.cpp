// The table of words: lang/vocabulary.h.
#include "lang/vocabulary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "lang/language.h"
#include "lang/operations.h"

using namespace gpx;

TEST_CASE("every word has a syntax and a line of help, and stands once among its kind") {
  std::set<std::pair<TermKind, std::string>> seen;
  for (const Term& term : vocabulary()) {
    INFO(term.name);
    CHECK(std::string(term.help).size() > 3);
    CHECK(std::string(term.syntax).size() > 0);
    CHECK(seen.insert({term.kind, term.name}).second);
    CHECK_FALSE(to_string(term.kind).empty());
  }
}

TEST_CASE("the enumerations' spellings are the table's words") {
  for (const std::string& name : names_of(TermKind::space))
    CHECK(to_string(*space_of(name)) == name);
  for (const std::string& name : names_of(TermKind::cache))
    CHECK(to_string(*cache_of(name)) == name);
  for (const std::string& name : names_of(TermKind::access))
    CHECK(to_string(*access_of(name)) == name);
  for (const std::string& name : names_of(TermKind::reduction))
    CHECK(to_string(*reduce_of(name)) == name);
  CHECK_FALSE(cache_of(""));
}

TEST_CASE("the units of the table are the units that are read") {
  for (const std::string& name : names_of(TermKind::unit)) {
    INFO(name);
    if (name == "clk" || name == "GB/s") continue;  // Behind / alone; a unit and what it is by.
    const auto& rows = units();
    CHECK(std::any_of(rows.begin(), rows.end(),
                      [&](const UnitRow& row) { return name == row.name; }));
  }
}

TEST_CASE("a reserved word cannot name an axis, a pattern's name can") {
  const auto parses = [](const std::string& text) { return parse(Source("t", text)).has_value(); };
  for (const std::string& word : names_of(TermKind::connective)) {
    INFO(word);
    CHECK(is_reserved(word));
    CHECK_FALSE(parses("sweep " + word + " 1..3 < load unique(128B) >"));
  }
  for (const std::string& word : names_of(TermKind::pattern)) {
    INFO(word);
    CHECK(parses("sweep " + word + " 1..3 < load unique(128B) x " + word + " >"));
  }
  CHECK(parses("sweep threads 1..3, blocks 1..2 < load unique(128B) >"));
  CHECK(parses("sweep offset 1..3 < load unique(128B) x offset >"));
  CHECK(parses("sweep offset in [add.u32] < offset x8 chain; offset x8 >"));
}

TEST_CASE("what differs among threads and what is a column of the samples is known") {
  for (const char* name : {"thread", "lane", "warp", "block"}) CHECK(is_thread_name(name));
  CHECK_FALSE(is_thread_name("threads"));
  CHECK_FALSE(is_thread_name("blocks"));
  for (const char* name :
       {"latency", "neighbour_variance", "measure", "outcome", "index", "clock", "sm"})
    CHECK(is_column(name));
  CHECK_FALSE(is_column("sweep"));
  for (const char* word : {"load", "sync", "when", "diverge"}) {
    CHECK(is_timed_word(word));
    CHECK(is_reserved(word));
  }
  CHECK_FALSE(is_timed_word("else"));
}

TEST_CASE("every operation of the table is a word of the language") {
  const auto words = names_of(TermKind::operation);
  REQUIRE(words.size() == operation_names().size());
  for (const std::string& word : words) {
    INFO(word);
    CHECK(is_operation(word));
    CHECK(parse(Source("t", "< " + word + " x4 >")).has_value());
    CHECK(parse(Source("t", "sweep op in [" + word + "] < op x4 >")).has_value());
  }
}

TEST_CASE("a word is found for help") {
  REQUIRE(find_term("sweep"));
  CHECK(find_term("sweep")->kind == TermKind::statement);
  CHECK(find_term("nothing_of_the_kind") == nullptr);
}
