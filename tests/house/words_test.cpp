// The words of documents, findings and messages: sentences that are short enough to be read once,
// and the field's terms (docs/glossary.md) in place of circumlocutions.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

#include "tests/house/literals.h"
#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

constexpr std::size_t kMostWords = 30;

/// A paragraph or an item of a list, on one line, with the line that it begins on.
struct Passage {
  std::size_t line = 0;
  std::string text;
};

/// Running text without code, tables, headings, pictures and HTML.
std::vector<Passage> passages_of(const std::string& text) {
  static const std::regex item(R"((\s*)([-*]|\d+\.) .*)");
  std::vector<Passage> passages;
  bool code = false, open = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string words = line.substr(begin);
    const bool fence = words.starts_with("```");
    if (fence) code = !code;
    if (fence || code || words.empty() || std::string("|#<!").find(words[0]) != std::string::npos) {
      open = false;
      continue;
    }
    if (!open || std::regex_match(line, item)) passages.push_back({number, {}});
    std::string& passage = passages.back().text;
    passage += (passage.empty() ? "" : " ") + words;
    open = true;
  }
  return passages;
}

/// Code spans are one word each, links their text.
std::string plain(const std::string& text) {
  static const std::regex code("`[^`]*`"), link(R"(\]\([^)]*\))");
  return std::regex_replace(std::regex_replace(text, code, "X"), link, "");
}

/// What stands in parentheses is no part of the sentence around it.
std::string without_asides(const std::string& text) {
  static const std::regex aside(R"(\([^()]*\))");
  return std::regex_replace(text, aside, "");
}

std::size_t words_in(const std::string& sentence) {
  static const std::regex word(R"(\S*[A-Za-z0-9]\S*)");
  return static_cast<std::size_t>(std::distance(
      std::sregex_iterator(sentence.begin(), sentence.end(), word), std::sregex_iterator()));
}

/// A sentence begins with a capital, a sign, a number, or the name of the program.
std::vector<std::string> sentences_of(const std::string& text) {
  static const std::regex end(R"re([.!?][)*"]*\s+(?=[A-Z*\[(0-9"]|gpx ))re");
  return {std::sregex_token_iterator(text.begin(), text.end(), end, -1),
          std::sregex_token_iterator()};
}

/// Of a message, whose parts are joined by colons and semicolons.
std::vector<std::string> clauses_of(const std::string& text) {
  static const std::regex end(R"([.;:!?]\s+)");
  return {std::sregex_token_iterator(text.begin(), text.end(), end, -1),
          std::sregex_token_iterator()};
}

std::string long_sentences(const std::string& file, const std::string& text) {
  std::string found;
  for (const Passage& passage : passages_of(text))
    for (const std::string& sentence : sentences_of(without_asides(plain(passage.text))))
      if (const std::size_t count = words_in(sentence); count > kMostWords)
        found += file + ":" + std::to_string(passage.line) + ": a sentence of " +
                 std::to_string(count) + " words: " + sentence.substr(0, 80) + "\n";
  return found;
}

/// What is said in other words, and how.
struct Term {
  std::regex not_this;
  std::string but;
};
const std::vector<Term>& terms() {
  static const std::vector<Term> all = {
      {std::regex("an access that it answers|an access that none .*answers"),
       "hit latency, miss latency"},
      {std::regex("take one way together"), "addresses this close share a line"},
      {std::regex("hold their lines at once"), "the largest footprint without a miss"},
      {std::regex("[Ww]hat a miss brings in"), "fill size"},
      {std::regex("[Ff]oretell|[Ff]oretold"), "predict"},
      {std::regex("go(es)? round L[12]"), "bypass"},
      {std::regex("minimal conflict"), "minimal eviction set"},
      {std::regex("over the first [0-9%]+[a-z]* [KM]B"), "for addresses within the first 5 MB"},
      {std::regex("clocks of (its|an) address, measured alone"),
       "minus ... clocks of address arithmetic, measured separately"},
      {std::regex("scatters? too much"), "too noisy: ±X % where Y % is needed"}};
  return all;
}

std::string other_words(const std::string& file, const std::string& text) {
  std::string found;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    for (const Term& term : terms())
      if (std::smatch match; std::regex_search(line, match, term.not_this))
        found += file + ":" + std::to_string(number) + ": '" + match.str() + "': say '" + term.but +
                 "'\n";
  }
  return found;
}

/// Words that a reader takes for speech of a machine, or that the field has other words for.
const std::vector<Term>& vocabulary() {
  static const std::vector<Term> all = {
      {std::regex(R"(\b(is|are|be|was|were) told\b)"), "reported, given"},
      {std::regex(R"(\b(tell|tells|told) (\w+ )?apart\b)"), "distinguish"},
      {std::regex(R"(\b(says|said|asks|asked|tells|knows|answers|answered)\b)"),
       "reports, shows, queries, hits, has"},
      {std::regex(R"(\b(must|can|to|not|may|would) (say|ask|tell|know|answer)\b)"),
       "report, give, query, distinguish, serve"},
      {std::regex(R"((^|[.:;] )Of (a|all|an|each|every|many|one|the|these|those|two|what|which) )"),
       "the subject first"},
      {std::regex(R"(\blists? at rest\b)"), "resident working set"},
      {std::regex(R"(\bconflict sets?\b)"), "eviction set"},
      {std::regex(R"(\b[Ff]lood)"), "eviction sweep"},
      {std::regex(R"(\b[Rr]ehears(al|ed|ing))"), "warm-up pass"},
      {std::regex(R"(\b[Bb]eside\b(?! sm ))"), "next to, with; co-runner"},
      {std::regex(R"(\b([Nn]earer|[Ff]arther|[Ff]urther) (buffer|cache|level))"), "upper, lower"},
      {std::regex(R"(\bgrains?\b)"), "granularity"},
      {std::regex(R"(\bopening\b(?! (a|of|the)\b))"), "first touch"}};
  return all;
}

/// The line is prose; `file` and `line` name it.
std::string uncommon_words(const std::string& file, std::size_t line, const std::string& prose) {
  std::string found;
  for (const Term& term : vocabulary())
    if (std::smatch match; std::regex_search(prose, match, term.not_this))
      found +=
          file + ":" + std::to_string(line) + ": '" + match.str() + "': say '" + term.but + "'\n";
  return found;
}

/// Lines outside of fenced code, without code spans and quoted words.
std::string uncommon_in_document(const std::string& file, const std::string& text) {
  static const std::regex quoted("\"[^\"]*\"|“[^”]*”");
  std::string found;
  bool code = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (line.compare(begin, 3, "```") == 0) code = !code;
    if (!code) found += uncommon_words(file, number, std::regex_replace(plain(line), quoted, "X"));
  }
  return found;
}

/// Three words and more, and no program of another language (experiments in braces, SQL).
bool is_prose(const std::string& text) {
  static const std::regex word("[A-Za-z]{2,}"), program(R"(\{\{|^(INSERT|SELECT|\s*CREATE) )");
  const auto words =
      std::distance(std::sregex_iterator(text.begin(), text.end(), word), std::sregex_iterator());
  return words >= 3 && !std::regex_search(text, program);
}

/// Literals of a source: messages, help and notes.
std::string uncommon_in_source(const std::string& file, const std::string& text) {
  static const std::regex quoted(R"('[^']{0,60}'(?=[\s:;,.)]|$)|`[^`]*`)");
  const Language language = file.ends_with(".lua") ? Language::lua : Language::cpp;
  std::string found;
  for (const Literal& literal : literals_of(text, language)) {
    if (!is_prose(literal.text)) continue;
    const std::string prose = std::regex_replace(literal.text, quoted, "X");
    found += uncommon_words(file, literal.line, prose);
    for (const std::string& line : lines_of(prose))
      for (const std::string& sentence : clauses_of(line))
        if (const std::size_t count = words_in(sentence); count > kMostWords)
          found += file + ":" + std::to_string(literal.line) + ": a sentence of " +
                   std::to_string(count) + " words: " + sentence.substr(0, 80) + "\n";
  }
  return found;
}

/// The changelog is a history: its sentences are as they were written.
std::vector<std::string> pages() {
  std::vector<std::string> all = documents();
  std::erase(all, "CHANGELOG.md");
  return all;
}

TEST_CASE("sentences of the documents can be read at once") {
  std::string found;
  for (const std::string& file : pages())
    found += long_sentences(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("documents use the vocabulary of the field") {
  std::string found;
  for (const std::string& file : pages())
    found += uncommon_in_document(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("messages, help and notes are short and use the vocabulary of the field") {
  std::vector<std::string> files;
  for (const char* folder : {"lang", "runtime", "codegen", "stdlib/analysis"})
    for (const std::string& file : files_under(folder, {".cpp", ".lua"})) files.push_back(file);
  REQUIRE(files.size() > 300);
  std::string found;
  for (const std::string& file : files)
    found += uncommon_in_source(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  for (const char* file : {"stdlib/findings.txt", "stdlib/calls.txt"})
    found += uncommon_in_document(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("documents, findings, help and experiments use the field's terms") {
  std::vector<std::string> files = documents();
  for (const char* folder : {"stdlib", "experiments", "lang", "runtime/cli", "runtime/report"})
    for (const std::string& file : files_under(folder, {".lua", ".txt", ".gpx", ".cpp", ".def"}))
      files.push_back(file);
  REQUIRE(files.size() > 150);
  std::string found;
  for (const std::string& file : files)
    found += other_words(file, read(std::string(GPX_SOURCE_DIR "/") + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("a sentence that is too long is named, a table and code are not") {
  std::string words;
  for (int i = 0; i < 31; ++i) words += "word ";
  CHECK(long_sentences("a.md", words).find("a.md:1: a sentence of 31 words") == 0);
  CHECK(long_sentences("a.md", words.substr(5) + "\n").empty());
  CHECK(long_sentences("a.md", "| " + words + " |\n```\n" + words + "\n```\n").empty());
  CHECK(long_sentences("a.md", words.substr(0, 100) + "end. A " + words.substr(0, 100)).empty());
  CHECK(long_sentences("a.md", "- one\n- " + words + "\n").find("a.md:2:") == 0);
}

TEST_CASE("a circumlocution is named with the term") {
  CHECK(other_words("a.lua", "x\nnote = \"what a miss brings in\"\n") ==
        "a.lua:2: 'what a miss brings in': say 'fill size'\n");
  CHECK(other_words("a.lua", "loads that bypass L1").empty());
}

TEST_CASE("speech of machines is named, keywords and quoted words are not") {
  CHECK(uncommon_in_document("a.md", "The table says `says`, \"asks\".\n```\nit asks\n```\n") ==
        "a.md:1: 'says': say 'reports, shows, queries, hits, has'\n");
  CHECK(uncommon_in_document("a.md", "half. Of the others none\n").find("'. Of the '") !=
        std::string::npos);
  CHECK(uncommon_in_document("a.md", "Write `beside sm 1`; verdicts are `same`, cannot tell.\n")
            .empty());
}

TEST_CASE("literals are found in C++ and Lua, comments are not") {
  const std::string cpp =
      "// it \"asks\" 1'000\nf('\"', \"the load \"\n  \"is told\", R\"(a b c)\");\n";
  const auto found = literals_of(cpp, Language::cpp);
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 2);
  CHECK(found[0].text == "the load is told");
  CHECK(found[1].text == "a b c");
  const auto lua = literals_of("-- 'no'\nx = 'what it' .. \"\\nasks\" + [[for it]]", Language::lua);
  REQUIRE(lua.size() == 2);
  CHECK(lua[0].text == "what it\nasks");
  CHECK(lua[1].text == "for it");
}

TEST_CASE("a message of other words or of too many is named, a program is not") {
  CHECK(uncommon_in_source("a.cpp", "f(\"the device is told nothing\")") ==
        "a.cpp:1: 'is told': say 'reported, given'\n");
  CHECK(uncommon_in_source("a.lua", "x = \"'says' is its name\" -- it is told a thing").empty());
  CHECK(uncommon_in_source("a.cpp", "f(\"CREATE TABLE a -- as asked for\")").empty());
  std::string words;
  for (int i = 0; i < 31; ++i) words += "word ";
  CHECK(uncommon_in_source("a.cpp", "f(\"" + words + "\")").find("a sentence of 31 words") !=
        std::string::npos);
  CHECK(uncommon_in_source("a.cpp", "f(\"" + words.substr(5) + "\")").empty());
}

}  // namespace
}  // namespace gpx::house
